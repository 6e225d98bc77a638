import type { ApiCall, PatchType, Target } from './client.ts'

/** The path of a target: `/api/v1/namespaces/default/pods/x/log`. */
export function pathOf(target: Target): string {
  const enc = encodeURIComponent
  let path = target.group === '' ? `/api/${enc(target.version)}` : `/apis/${enc(target.group)}/${enc(target.version)}`
  if (target.namespace !== undefined && target.namespace !== '') path += `/namespaces/${enc(target.namespace)}`
  path += `/${enc(target.resource)}`
  if (target.name !== undefined) path += `/${enc(target.name)}`
  if (target.subresource !== undefined) path += `/${target.subresource.split('/').map(enc).join('/')}`
  return path
}

/** Path and query of a call. */
export function urlOf(call: ApiCall): string {
  const query = new URLSearchParams(call.query).toString()
  return query === '' ? pathOf(call.target) : `${pathOf(call.target)}?${query}`
}

/** The media type of each kind of patch. */
export const PATCH_MEDIA_TYPE: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}
