import type { PodOfNetwork } from './network-objects.ts'
import type { Protocol } from './network-world.ts'
import type { RouteTarget } from './route-service.ts'

/** The destination of a connection to a node: one of its addresses, or loopback from the node itself. */
export interface HostDestination {
  readonly node: string
  readonly ip: string
  readonly port: number
  readonly protocol: Protocol
}

/** The pod with a `hostPort` on its node, and its container port; undefined if there is none. `pods`: those of the cluster. */
export function routeHostPort({ node, ip, port, protocol }: HostDestination, pods: Iterable<PodOfNetwork>): RouteTarget | undefined {
  for (const { spec = {}, status = {} } of pods) {
    if (spec.nodeName !== node || spec.hostNetwork === true || status.podIP === undefined) continue
    if (status.phase === 'Succeeded' || status.phase === 'Failed') continue
    for (const { ports = [] } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
      for (const own of ports)
        if (own.hostPort === port && (own.protocol ?? 'TCP') === protocol && listensOn(own.hostIP, ip))
          return { ip: status.podIP, port: own.containerPort }
  }
  return undefined
}

const listensOn = (hostIp: string | undefined, ip: string) => !hostIp || hostIp === '0.0.0.0' || hostIp === '::' || hostIp === ip
