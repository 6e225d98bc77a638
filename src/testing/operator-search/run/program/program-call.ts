import { requestInfo } from '../../../../apiserver/request/request-info.ts'
import type { ApiCall } from '../../../../machinery/api-call.ts'

const VERBS: ReadonlySet<string> = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] satisfies ApiCall['verb'][])

/** The call that a request of a program is; undefined: it is not about objects. */
export function callOf(method: string, url: URL, body: Buffer): ApiCall | undefined {
  const query = Object.fromEntries(url.searchParams)
  const { verb, target } = requestInfo(method, url.pathname, { watching: ['true', '1'].includes(query.watch ?? '') })
  if (target === undefined || !isVerb(verb)) return undefined
  const { group, version, resource, namespace, name, subresource } = target
  const place = { ...(namespace !== '' && { namespace }), ...(name !== '' && { name }), ...(subresource !== '' && { subresource }) }
  return { verb, target: { group, version, resource, ...place }, query, ...(body.length > 0 && { body: bodyOf(body) }) }
}

/** An object, if it is JSON. Of protobuf only the annotation of a lock is looked for, which reads the same. */
function bodyOf(body: Buffer): object {
  const text = body.toString('latin1')
  try {
    return { text, ...(JSON.parse(body.toString()) as object) }
  } catch {
    return { text }
  }
}

const isVerb = (verb: string): verb is ApiCall['verb'] => VERBS.has(verb)
