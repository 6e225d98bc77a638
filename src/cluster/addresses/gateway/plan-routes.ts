import { type Fact, fact } from './conditions.ts'
import { GATEWAY_GROUP, type HttpRoute, type ParentRef, type RouteBackend } from './gateway-types.ts'
import { type GatewayWorld, isGranted } from './gateway-world.ts'
import type { PlannedListener } from './plan-listeners.ts'
import { type AttachedRoute, sharedHosts } from './route-table.ts'

/** What a route's status says of one of its parents. */
export interface PlannedParent {
  readonly parent: ParentRef
  /** Accepted and ResolvedRefs. */
  readonly facts: readonly Fact[]
}

export interface RoutePlan {
  /** The routes of each listener. */
  readonly attached: ReadonlyMap<PlannedListener, readonly AttachedRoute[]>
  /** The parents of each route that are Gateways served here. */
  readonly parents: ReadonlyMap<HttpRoute, readonly PlannedParent[]>
  /** Backends that no request may go to: their share of the requests gets 500. */
  readonly refused: ReadonlySet<RouteBackend>
}

/** Matches of all routes together: each request looks through those of its host. */
const MAX_MATCHES = 20_000

/** Attaches routes to listeners, the oldest first. */
export function planRoutes(listeners: readonly PlannedListener[], world: GatewayWorld): RoutePlan {
  const attached = new Map<PlannedListener, AttachedRoute[]>()
  const parents = new Map<HttpRoute, PlannedParent[]>()
  const refused = new Set<RouteBackend>()
  let matches = 0
  for (const route of [...world.routes].sort((a, b) => a.created.localeCompare(b.created))) {
    const resolved = resolution(route, world, refused)
    const fault = faultOf(route, matches)
    for (const parent of route.parents) {
      const own = listeners.filter((planned) => isParent(parent, planned))
      if (own.length === 0) continue
      const found = fault === undefined ? attach(route, parent, own, world) : { accepted: fault, hosts: [] }
      for (const [listener, hosts] of found.hosts) attached.set(listener, [...(attached.get(listener) ?? []), { route, hosts }])
      parents.set(route, [...(parents.get(route) ?? []), { parent, facts: [found.accepted, resolved] }])
    }
    if (parents.has(route)) matches += matchesOf(route)
  }
  return { attached, parents, refused }
}

const matchesOf = ({ rules }: HttpRoute) => rules.reduce((sum, rule) => sum + rule.matches.length, 0)

function faultOf(route: HttpRoute, matches: number): Fact | undefined {
  const unsupported = (why: string) => fact('Accepted', false, 'UnsupportedValue', why)
  if (route.unsupported.length > 0) return unsupported(`not served on this machine: ${route.unsupported.slice(0, 5).join(', ')}`)
  return matches + matchesOf(route) > MAX_MATCHES
    ? unsupported(`the routes of this cluster have more than ${MAX_MATCHES} matches`)
    : undefined
}

const isParent = ({ group, kind, namespace, name }: ParentRef, { gateway }: PlannedListener) =>
  group === GATEWAY_GROUP && kind === 'Gateway' && gateway.namespace === namespace && gateway.name === name

interface Attachment {
  readonly accepted: Fact
  readonly hosts: readonly (readonly [PlannedListener, readonly string[]])[]
}

function attach(route: HttpRoute, parent: ParentRef, own: readonly PlannedListener[], world: GatewayWorld): Attachment {
  const refuse = (reason: string, message: string): Attachment => ({ accepted: fact('Accepted', false, reason, message), hosts: [] })
  const named = own.filter(
    ({ listener, accepted }) =>
      accepted && (parent.sectionName ?? listener.name) === listener.name && (parent.port ?? listener.port) === listener.port,
  )
  if (named.length === 0) return refuse('NoMatchingParent', 'the Gateway has no such listener that is accepted')
  const allowed = named.filter((planned) => allows(planned, route.namespace, world))
  if (allowed.length === 0)
    return refuse('NotAllowedByListeners', `no listener allows routes of namespace ${route.namespace}, or of this kind`)
  const hosts = allowed
    .map((planned) => [planned, sharedHosts(planned.listener.hostname, route.hostnames)] as const)
    .filter(([, shared]) => shared.length > 0)
  if (hosts.length === 0) return refuse('NoMatchingListenerHostname', 'no listener has one of its hosts')
  return { accepted: fact('Accepted', true, 'Accepted', 'the route is served on this machine'), hosts }
}

function allows({ gateway, listener: { allowed }, takesRoutes }: PlannedListener, namespace: string, world: GatewayWorld): boolean {
  if (!takesRoutes) return false
  if (allowed.from === 'All') return true
  return allowed.from === 'Selector'
    ? world.selects(allowed.selector, namespace)
    : allowed.from === 'Same' && namespace === gateway.namespace
}

/** The first backend that cannot be used decides; `refused` gets all of them. */
function resolution(route: HttpRoute, world: GatewayWorld, refused: Set<RouteBackend>): Fact {
  let fault: Fact | undefined
  for (const { backends } of route.rules)
    for (const backend of backends) {
      const found = backendFault(backend, route, world)
      if (found !== undefined) refused.add(backend)
      fault ??= found
    }
  return fault ?? fact('ResolvedRefs', true, 'ResolvedRefs', 'all references are resolved')
}

function backendFault(backend: RouteBackend, { namespace }: HttpRoute, world: GatewayWorld): Fact | undefined {
  const { group, kind, name, port } = backend
  const fault = (reason: string, message: string) => fact('ResolvedRefs', false, reason, message)
  if (group !== '' || kind !== 'Service') return fault('InvalidKind', `${kind} ${name} is not a Service`)
  if (!isGranted(backend, { group: GATEWAY_GROUP, kind: 'HTTPRoute', namespace }, world.grants))
    return fault('RefNotPermitted', `no ReferenceGrant of ${backend.namespace} lets this route use Service ${name}`)
  if (!world.hasService(backend)) return fault('BackendNotFound', `Service ${backend.namespace}/${name} does not exist`)
  return port === undefined ? fault('BackendNotFound', `a port of Service ${name} is not named`) : undefined
}
