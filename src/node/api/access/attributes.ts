/** The authorization attributes of a request to the kubelet (KEP-2862): access to any of these subresources of the node is enough. */
export interface NodeAttributes {
  /** Empty for methods without an API verb. */
  readonly verb: string
  readonly subresources: readonly string[]
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** Paths with a fine-grained subresource, which is checked first; `proxy` is enough for them too. */
const FINE: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
]
/** Paths for which `proxy` is not enough. */
const OWN: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
]

/** By its method and decoded path. */
export function nodeAttributes(method: string, path: string): NodeAttributes {
  const under = ([prefix]: readonly [string, string]) => path === prefix || path.startsWith(`${prefix}/`)
  const verb = Object.hasOwn(VERBS, method) ? (VERBS[method] ?? '') : ''
  const fine = FINE.find(under)
  const own = OWN.find(under)
  return { verb, subresources: [...(fine ? [fine[1]] : []), own?.[1] ?? 'proxy'] }
}
