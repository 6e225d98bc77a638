import { type Fact, fact } from './conditions.ts'
import { GATEWAY_GROUP, type Gateway, type Listener, type ObjectRef } from './gateway-types.ts'
import { type GatewayWorld, isGranted } from './gateway-world.ts'

/** A listener of a Gateway, and what is wrong with it. */
export interface PlannedListener {
  readonly gateway: Gateway
  readonly listener: Listener
  /** Accepted, ResolvedRefs and Conflicted. `Programmed` follows from its port. */
  readonly facts: readonly Fact[]
  /** Whether routes may be attached to it. */
  readonly accepted: boolean
  /** Whether its port is to be opened. */
  readonly usable: boolean
  readonly takesRoutes: boolean
}

/** Two listeners may share a port if they have one protocol and different hosts; of two that may not, the older Gateway's is served. */
export function planListeners(gateways: readonly Gateway[], world: GatewayWorld): readonly PlannedListener[] {
  const protocols = new Map<number, string>()
  const hosts = new Set<string>()
  return [...gateways].sort(byAge).flatMap((gateway) =>
    gateway.listeners.map((listener) => {
      const conflict = conflictOf(listener, protocols, hosts)
      const accepted = conflict === undefined ? acceptance(listener) : fact('Accepted', false, 'PortUnavailable', conflict.message)
      if (accepted.status) {
        protocols.set(listener.port, listener.protocol)
        hosts.add(`${listener.port} ${listener.hostname}`)
      }
      const resolved = resolution(gateway, listener, world)
      const facts = [accepted, resolved, conflict ?? fact('Conflicted', false, 'NoConflicts', 'no other listener has this port and host')]
      return {
        gateway,
        listener,
        facts,
        accepted: accepted.status,
        usable: accepted.status && (resolved.status || resolved.reason === 'InvalidRouteKinds'),
        takesRoutes: takesHttpRoutes(listener),
      }
    }),
  )
}

/** The kinds of routes that it takes, as its status says. */
export const supportedKinds = (listener: Listener) => (takesHttpRoutes(listener) ? [{ group: GATEWAY_GROUP, kind: 'HTTPRoute' }] : [])

const isHttpRoute = ({ group, kind }: { readonly group: string; readonly kind: string }) => group === GATEWAY_GROUP && kind === 'HTTPRoute'
const takesHttpRoutes = ({ allowed: { kinds } }: Listener) => kinds === undefined || kinds.some(isHttpRoute)

function conflictOf({ port, protocol, hostname }: Listener, protocols: ReadonlyMap<number, string>, hosts: ReadonlySet<string>) {
  const other = protocols.get(port)
  if (other !== undefined && other !== protocol)
    return fact('Conflicted', true, 'ProtocolConflict', `another listener has port ${port} for ${other}`)
  if (hosts.has(`${port} ${hostname}`))
    return fact('Conflicted', true, 'HostnameConflict', `another listener has port ${port} for ${hostname || 'all hosts'}`)
  return undefined
}

function acceptance({ protocol, port, tlsMode }: Listener): Fact {
  if (protocol !== 'HTTP' && protocol !== 'HTTPS')
    return fact('Accepted', false, 'UnsupportedProtocol', `HTTP and HTTPS are served on this machine, not ${protocol}`)
  if (protocol === 'HTTPS' && tlsMode !== 'Terminate')
    return fact('Accepted', false, 'UnsupportedProtocol', `TLS is terminated on this machine: mode ${tlsMode} is not served`)
  if (port < 1 || port > 65_535) return fact('Accepted', false, 'PortUnavailable', `${port} is no port`)
  return fact('Accepted', true, 'Accepted', 'the listener is served on this machine')
}

function resolution(gateway: Gateway, listener: Listener, world: GatewayWorld): Fact {
  const certificate = listener.protocol === 'HTTPS' ? certificateFault(gateway, listener.certificates, world) : undefined
  if (certificate !== undefined) return certificate
  if (listener.allowed.kinds?.every(isHttpRoute) === false)
    return fact('ResolvedRefs', false, 'InvalidRouteKinds', 'HTTPRoutes are served on this machine, and no other kinds')
  return fact('ResolvedRefs', true, 'ResolvedRefs', 'all references are resolved')
}

function certificateFault(gateway: Gateway, certificates: readonly ObjectRef[], world: GatewayWorld): Fact | undefined {
  const [ref] = certificates
  const invalid = (why: string) => fact('ResolvedRefs', false, 'InvalidCertificateRef', why)
  if (ref === undefined) return invalid('tls.certificateRefs names no Secret')
  if (ref.group !== '' || ref.kind !== 'Secret') return invalid(`${ref.kind} ${ref.name} is not a Secret`)
  if (!isGranted(ref, { group: GATEWAY_GROUP, kind: 'Gateway', namespace: gateway.namespace }, world.grants))
    return fact('ResolvedRefs', false, 'RefNotPermitted', `no ReferenceGrant of ${ref.namespace} lets this Gateway use Secret ${ref.name}`)
  return world.hasCertificate(ref) ? undefined : invalid(`Secret ${ref.namespace}/${ref.name} holds no certificate with its key`)
}

const byAge = (a: Gateway, b: Gateway) =>
  a.created.localeCompare(b.created) || `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`)
