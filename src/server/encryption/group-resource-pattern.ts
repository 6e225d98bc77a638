import type { GroupResource } from '../../machinery/status-error.ts'

/** `secrets`, `deployments.apps`, `*.`, `*.apps`, `*.*`: the group is what follows the first dot. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.')
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
}

/** As it is written in a configuration. */
export function groupResourceText({ group, resource }: GroupResource): string {
  if (group === '') return resource === '*' ? '*.' : resource
  return `${resource}.${group}`
}

export const ANY: GroupResource = { group: '*', resource: '*' }
export const anyIn = (group: string): GroupResource => ({ group, resource: '*' })
export const isSame = (a: GroupResource, b: GroupResource): boolean => a.group === b.group && a.resource === b.resource
