import { withoutTrailing } from '../../base/without-trailing.ts'
import { StatusError } from '../../machinery/status-error.ts'

/** A method and path, parsed as in Kubernetes; the resource need not exist. */
export interface RequestInfo {
  readonly path: string
  readonly method: string
  /** `get`, `list`, `create`, …; the lower-case method for non-resource paths. */
  readonly verb: string
  /** Undefined for paths outside `/api/VERSION/…` and `/apis/GROUP/VERSION/…`. */
  readonly target: PathTarget | undefined
}

export interface PathTarget {
  readonly group: string
  readonly version: string
  readonly namespace: string
  /** The path has a `namespaces/NAME/` part. */
  readonly namespaced: boolean
  readonly resource: string
  readonly name: string
  readonly subresource: string
  /** The path after the subresource: `''`, or `/…`. */
  readonly rest: string
  /** The legacy `/watch/` or `/proxy/` before the resource. Nothing is served under the second one. */
  readonly prefix: Prefix
}

export type Prefix = '' | 'watch' | 'proxy'

/** 500 for a path that ends with a legacy prefix. The HTTP entrance sends it as plain text. */
export class RequestInfoError extends StatusError {
  constructor(path: string) {
    super({ code: 500, reason: 'InternalError', message: noRequestInfo(path) })
  }
}

export const noRequestInfo = (url: string) => `failed to create RequestInfo: unable to determine kind and namespace from url, ${url}`

/**
 * `watching`: the query requests a watch. `fieldName`: the name that a field selector on `metadata.name` requires.
 * @throws {RequestInfoError}
 */
export function requestInfo(
  method: string,
  path: string,
  query: { readonly watching: boolean; readonly fieldName?: string | undefined },
): RequestInfo {
  const target = pathTarget(path)
  if (target === undefined) return { path, method, verb: method.toLowerCase(), target }
  const single = target.name !== ''
  // A legacy prefix is the verb, whatever the method is.
  if (target.prefix !== '') return { path, method, verb: target.prefix, target }
  const verb = verbOf(method, single, query.watching && !single)
  const named = !single && query.fieldName !== undefined && (verb === 'list' || verb === 'watch')
  return { path, method, verb, target: named ? { ...target, name: query.fieldName ?? '' } : target }
}

function verbOf(method: string, single: boolean, watch: boolean): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return watch ? 'watch' : single ? 'get' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return single ? 'delete' : 'deletecollection'
    default:
      return ''
  }
}

/** Slashes at both ends do not count; those within separate parts, of which each may be empty. */
function pathTarget(path: string): PathTarget | undefined {
  const parts = withoutTrailing(path.replace(/^\/+/, ''), '/').split('/')
  const core = parts[0] === 'api'
  if (!core && parts[0] !== 'apis') return undefined
  const group = core ? '' : (parts[1] ?? '')
  const version = parts[core ? 1 : 2] ?? ''
  const segments = parts.slice(core ? 2 : 3)
  if (segments.length === 0) return undefined
  const prefix = segments[0] === 'watch' || segments[0] === 'proxy' ? segments[0] : ''
  if (prefix !== '') segments.shift()
  if (segments.length === 0) throw new RequestInfoError(path)
  const place = placeOf(segments)
  return { group, version, prefix, ...place, ...(prefix === 'proxy' && { subresource: '' }) }
}

const NAMESPACE_PARTS = new Set(['status', 'finalize'])

function placeOf(segments: readonly string[]) {
  const [first = '', second = '', third = ''] = segments
  const inNamespace = first === 'namespaces' && segments.length > 2 && !(segments.length === 3 && NAMESPACE_PARTS.has(third))
  const [resource = '', name = '', subresource = '', ...rest] = inNamespace ? segments.slice(2) : segments
  return {
    namespaced: inNamespace,
    namespace: inNamespace ? second : first === 'namespaces' ? second : '',
    resource,
    name,
    subresource,
    rest: rest.length === 0 ? '' : `/${rest.join('/')}`,
  }
}
