import type { Reader } from '../resource/definition.ts'
import type { NetworkService } from './network-objects.ts'
import type { Protocol } from './network-world.ts'
import { endpointsOf } from './service-endpoints.ts'

/** Where connections and datagrams to a service's address go. */
export type ServiceRoute =
  /** Not an address of a service. */
  | { readonly kind: 'none' }
  /** A service without endpoints for this port. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'endpoints'; readonly service: NetworkService; readonly targets: readonly RouteTarget[]; readonly sticky: boolean }

export interface RouteTarget {
  readonly ip: string
  readonly port: number
}

/** The destination of a connection, and the node whose rules lead it. */
export interface Destination {
  readonly ip: string
  readonly port: number
  readonly protocol: Protocol
  /** For a node port: the node that was dialled, else the one of the client. Undefined: none, no endpoint is local or remote. */
  readonly fromNode: string | undefined
}

/** Routes a connection as kube-proxy does. `service`: the one that has the address. */
export function routeService(service: NetworkService, { port, ip, protocol, fromNode }: Destination, objects: Reader): ServiceRoute {
  const byNode = !addressesOf(service).includes(ip)
  const wanted = (service.spec?.ports ?? []).find((p) => (byNode ? p.nodePort : p.port) === port && (p.protocol ?? 'TCP') === protocol)
  if (wanted === undefined) return byNode ? { kind: 'none' } : { kind: 'refused' }
  const local = (byNode ? service.spec?.externalTrafficPolicy : service.spec?.internalTrafficPolicy) === 'Local'
  const near = endpointsOf(service, objects).filter((e) => !local || fromNode === undefined || e.nodeName === fromNode)
  const ready = near.filter((e) => e.ready)
  // Terminating endpoints are used if there are no others.
  const taking = ready.length > 0 ? ready : near.filter((e) => e.serving)
  const targets = taking.flatMap(({ ip, ports: own }) =>
    own.filter((p) => p.name === (wanted.name ?? '') && p.protocol === protocol).map((p) => ({ ip, port: p.port })),
  )
  if (targets.length === 0) return { kind: 'refused' }
  return { kind: 'endpoints', service, targets, sticky: service.spec?.sessionAffinity === 'ClientIP' }
}

/** The addresses at which a service is reached by its own ports. */
export function addressesOf(service: NetworkService): readonly string[] {
  const { clusterIP, clusterIPs = [clusterIP], externalIPs = [] } = service.spec ?? {}
  const balanced = (service.status?.loadBalancer?.ingress ?? []).flatMap((i) => i.ip ?? [])
  return [...clusterIPs, ...externalIPs, ...balanced].filter((ip) => ip !== undefined).filter((ip) => ip !== '' && ip !== 'None')
}
