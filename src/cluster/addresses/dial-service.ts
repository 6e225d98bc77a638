import type { Duplex } from 'node:stream'
import type { Random } from '../../base/random.ts'
import { routeService } from '../../machinery/network/route-service.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { Service } from '../../resources/types/core.ts'
import type { InsideNetwork } from '../../server/services/resolve-service.ts'

export interface DialServiceDeps {
  readonly reader: Reader
  /** The network of the simulated pods. */
  readonly inside: InsideNetwork
  readonly random: Random
}

/**
 * Connects to an endpoint of a port of a service, as kube-proxy would lead a client outside of the cluster. Undefined: the service has no
 * endpoint for it that is a simulated pod. Rejects with a `ConnectError` if nothing listens there.
 */
export async function dialService(
  service: Service,
  port: number,
  { reader, inside, random }: DialServiceDeps,
): Promise<Duplex | undefined> {
  const ip = service.spec?.clusterIP ?? ''
  const route = routeService(service, { ip, port, protocol: 'TCP', fromNode: undefined }, reader)
  if (route.kind !== 'endpoints') return undefined
  // All clients are this machine: one that stays has one endpoint.
  const target = route.targets[route.sticky ? 0 : random.int(route.targets.length)]
  return target && inside(target.ip, target.port)?.()
}
