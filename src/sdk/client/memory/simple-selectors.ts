import type { KubeObject } from '../../../machinery/object.ts'

/** Whether the object has the values of a field selector; terms that cannot be read are ignored. */
export function matchesFields(object: Readonly<KubeObject>, selector: string | undefined): boolean {
  return (selector ?? '').split(',').every((term) => {
    const parts = /^([^!=]+)(!?==?)(.*)$/.exec(term)
    if (parts === null) return true
    const [, path = '', operator, value] = parts
    let found: unknown = object
    for (const step of path.split('.')) found = found !== null && typeof found === 'object' ? Reflect.get(found, step) : undefined
    return (String(found ?? '') === value) === (operator !== '!=')
  })
}

/** Whether the object has the labels of a selector of keys and `key=value`. */
export function matchesLabels(object: Readonly<KubeObject>, selector: string | undefined): boolean {
  return (selector ?? '').split(',').every((term) => {
    const [key = '', value] = term.split('=')
    return term === '' || (value === undefined ? object.metadata.labels?.[key] !== undefined : object.metadata.labels?.[key] === value)
  })
}
