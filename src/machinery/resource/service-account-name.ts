/** The user name of a service account. */
export const serviceAccountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

/** The groups that every service account of a namespace is in. */
export const serviceAccountGroups = (namespace: string): string[] => ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]

/** `system:serviceaccount:ns:name` → namespace and name; undefined for every other user. */
export function splitServiceAccountName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith('system:serviceaccount:')) return undefined
  const [, , namespace = '', name = '', ...rest] = user.split(':')
  const sound =
    rest.length === 0 &&
    /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace) &&
    name.length <= 253 &&
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)
  return sound ? { namespace, name } : undefined
}
