import type { Target } from './endpoint-choice.ts'
import type { RoutedPort } from './ruleset-of-services.ts'

/** Flows of UDP that the kernel still remembers, although they lead nowhere any more. */
export interface StaleFlow {
  readonly family: 'ip' | 'ip6'
  /** The address of the service; absent: whichever. */
  readonly to?: string
  /** Where packets come in, where it is no address of the service. */
  readonly nodePort?: number
  /** The endpoint that is gone; absent: flows that never had one. */
  readonly endpoint?: string
}

/** A TCP connection to an endpoint that is gone ends by itself; UDP goes on as long as its sender does. Pure. */
export function staleFlows(before: readonly RoutedPort[], now: readonly RoutedPort[]): readonly StaleFlow[] {
  const previous = new Map(before.map((one) => [idOf(one), one]))
  return now
    .filter(({ port }) => port.protocol === 'udp')
    .flatMap((one) => {
      const known = previous.get(idOf(one))
      const had = known === undefined ? [] : known.endpoints.cluster
      const has = new Set(one.endpoints.cluster.map(textOf))
      const gone = had.filter((target) => !has.has(textOf(target)))
      const fresh = had.length === 0 && has.size > 0
      return [...gone.flatMap(({ ip }) => flowsOf(one, ip)), ...(fresh ? flowsOf(one, undefined) : [])]
    })
}

const idOf = ({ port }: RoutedPort) => `${port.family} ${port.id}`
const textOf = ({ ip, port }: Target) => `${ip} ${port}`

function flowsOf({ port }: RoutedPort, endpoint: string | undefined): readonly StaleFlow[] {
  const { family, clusterIp, externalIps, loadBalancerIps, nodePort } = port
  const gone = endpoint === undefined ? {} : { endpoint }
  const byAddress = [clusterIp, ...externalIps, ...loadBalancerIps].map((to) => ({ family, to, ...gone }))
  return nodePort === undefined ? byAddress : [...byAddress, { family, nodePort, ...gone }]
}
