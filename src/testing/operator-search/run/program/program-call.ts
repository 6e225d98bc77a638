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
  // Only searched for the annotation of a lock, which reads the same in JSON and protobuf.
  const text = body.length === 0 ? {} : { body: { text: body.toString('latin1') } }
  return { verb, target: { group, version, resource, ...place }, query, ...text }
}

const isVerb = (verb: string): verb is ApiCall['verb'] => VERBS.has(verb)
