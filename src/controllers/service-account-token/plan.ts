import type { Secret, ServiceAccount } from '../../resources/types/core.ts'

export const TOKEN_TYPE = 'kubernetes.io/service-account-token'
export const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

export const isTokenSecret = (secret: Secret): boolean => secret.type === TOKEN_TYPE

/** What becomes of a secret that is to hold an account's token. */
export type TokenPlan =
  | { readonly kind: 'keep' }
  /** Its account was deleted, or replaced by another one of that name. */
  | { readonly kind: 'delete' }
  /** Some of its content is missing or old; `token` is whether it needs a new token. */
  | { readonly kind: 'fill'; readonly token: boolean }

const encoded = (text: string) => Buffer.from(text).toString('base64')

/** Decides. Pure; `ca` is the cluster's CA, PEM. */
export function planTokenSecret(secret: Secret, account: ServiceAccount | undefined, ca: string): TokenPlan {
  if (secret.metadata.deletionTimestamp !== undefined) return { kind: 'keep' }
  const named = secret.metadata.annotations?.[ACCOUNT_UID]
  if (account === undefined || (named && named !== account.metadata.uid)) return { kind: 'delete' }
  const { data = {} } = secret
  const token = !data.token
  const complete = data['ca.crt'] === encoded(ca) && data.namespace === encoded(secret.metadata.namespace ?? '')
  return token || !complete ? { kind: 'fill', token } : { kind: 'keep' }
}

/** The content that every such secret has beside its token. Pure. */
export const fixedData = (secret: Secret, ca: string): Record<string, string> => ({
  'ca.crt': encoded(ca),
  namespace: encoded(secret.metadata.namespace ?? ''),
})
