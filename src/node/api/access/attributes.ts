/** What the kubelet asks about a request (KEP-2862): any of these subresources of its node opens it. */
export interface NodeAttributes {
  /** Empty for methods that mean nothing to the API. */
  readonly verb: string
  readonly subresources: readonly string[]
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** Asked about first; `proxy` opens them too. */
const FINE: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
]
/** Of these, `proxy` opens none. */
const OWN: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
]

/** By its method and (decoded) path. */
export function nodeAttributes(method: string, path: string): NodeAttributes {
  const under = ([prefix]: readonly [string, string]) => path === prefix || path.startsWith(`${prefix}/`)
  const verb = Object.hasOwn(VERBS, method) ? (VERBS[method] ?? '') : ''
  const fine = FINE.find(under)
  const own = OWN.find(under)
  return { verb, subresources: [...(fine ? [fine[1]] : []), own?.[1] ?? 'proxy'] }
}
