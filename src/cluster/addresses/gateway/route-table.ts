import type { HttpRoute, RouteMatch, RouteRule } from './gateway-types.ts'

/** A route with the hosts that it shares with a listener; a host of '': all. */
export interface AttachedRoute {
  readonly route: HttpRoute
  readonly hosts: readonly string[]
}

/** What a request is matched by. Header names are in lower case. */
export interface MatchedRequest {
  readonly host: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface FoundRule {
  readonly rule: RouteRule
  readonly match: RouteMatch
}

interface Candidate extends FoundRule {
  readonly route: HttpRoute
  /** The place of the rule in its route. */
  readonly index: number
}

/**
 * The rules of one listener. The most specific host comes first; then, of the matches that hold, the one with an exact path, the longest
 * prefix, a method, the most headers, the most query parameters; then the oldest route, the first by name, the first rule.
 */
export class RouteTable {
  readonly #byHost = new Map<string, Candidate[]>()

  constructor(attached: readonly AttachedRoute[]) {
    for (const { route, hosts } of attached)
      for (const host of hosts) this.#byHost.set(host, [...(this.#byHost.get(host) ?? []), ...candidatesOf(route)])
    for (const candidates of this.#byHost.values()) candidates.sort(byPrecedence)
  }

  find(request: MatchedRequest): FoundRule | undefined {
    for (const host of hostsOf(request.host)) {
      const found = this.#byHost.get(host)?.find(({ match }) => holds(match, request))
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** A host, the wildcards that it is one of (the longest first), and all hosts. */
export function hostsOf(host: string): readonly string[] {
  const labels = host.split('.')
  const wildcards = labels.slice(1).map((_, i) => `*.${labels.slice(i + 1).join('.')}`)
  return [host, ...wildcards, '']
}

/** The hosts that a listener and a route share; empty: they share none. */
export function sharedHosts(listener: string, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener]
  return route.flatMap((host) => {
    if (hostsOf(host).includes(listener)) return [host]
    return hostsOf(listener).includes(host) ? [listener] : []
  })
}

const candidatesOf = (route: HttpRoute): readonly Candidate[] =>
  route.rules.flatMap((rule, index) => rule.matches.map((match) => ({ route, rule, match, index })))

function holds({ exact, path, method, headers, query }: RouteMatch, request: MatchedRequest): boolean {
  return (
    (exact ? request.path === path : isPrefix(path, request.path)) &&
    (method === undefined || method === request.method) &&
    headers.every(({ name, value }) => [request.headers[name] ?? []].flat().join(',') === value) &&
    query.every(({ name, value }) => request.query.get(name) === value)
  )
}

/** By whole elements: `/foo` is a prefix of `/foo/bar`, not of `/foobar`. */
function isPrefix(prefix: string, path: string): boolean {
  const whole = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
  return path === whole || path.startsWith(`${whole}/`)
}

function byPrecedence(a: Candidate, b: Candidate): number {
  const length = ({ match }: Candidate) => match.path.length
  return (
    Number(b.match.exact) - Number(a.match.exact) ||
    length(b) - length(a) ||
    Number(b.match.method !== undefined) - Number(a.match.method !== undefined) ||
    b.match.headers.length - a.match.headers.length ||
    b.match.query.length - a.match.query.length ||
    a.route.created.localeCompare(b.route.created) ||
    `${a.route.namespace}/${a.route.name}`.localeCompare(`${b.route.namespace}/${b.route.name}`) ||
    a.index - b.index
  )
}
