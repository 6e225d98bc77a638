import type { Target } from '../../sdk/client/client.ts'

/** Verbs that change something. */
export const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** Resources whose requests are not an operator's work: its lease, its events, its reviews. */
export const CHATTER: ReadonlySet<string> = new Set([
  'leases',
  'events',
  'tokenreviews',
  'subjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'selfsubjectreviews',
])

/** A request in words: `update pods/status default/web-0`. */
export function callText({ verb, target = {} }: { readonly verb: string; readonly target: Partial<Target> | undefined }): string {
  const { resource = '', name, namespace, subresource } = target
  return [verb, [resource, subresource].filter(Boolean).join('/'), [namespace, name].filter(Boolean).join('/')].join(' ').trimEnd()
}
