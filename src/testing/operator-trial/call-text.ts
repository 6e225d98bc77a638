import type { Target } from '../../sdk/client/client.ts'

/** A request in words: `update pods/status default/web-0`. */
export function callText({ verb, target = {} }: { readonly verb: string; readonly target: Partial<Target> | undefined }): string {
  const { resource = '', name, namespace, subresource } = target
  return [verb, [resource, subresource].filter(Boolean).join('/'), [namespace, name].filter(Boolean).join('/')].join(' ').trimEnd()
}
