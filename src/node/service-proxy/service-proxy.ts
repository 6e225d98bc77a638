import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { Signal } from '../../base/signal.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { ClusterObjects } from '../cluster-objects.ts'
import { keepRules } from '../nftables/keep-rules.ts'
import type { Nft } from '../nftables/nft.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import type { Conntrack } from './conntrack.ts'
import { chooseEndpoints, type ProxyNode } from './endpoint-choice.ts'
import { HealthCheckServers } from './health-check-servers.ts'
import { type RoutedPort, rulesetOfServices } from './ruleset-of-services.ts'
import { proxiedPorts } from './service-port.ts'
import { staleFlows } from './stale-flows.ts'

export interface ServiceProxyDeps {
  readonly objects: ClusterObjects
  /** The networks of all pods; empty: the Node's `podCIDRs`, those of its own pods. */
  readonly clusterCidrs: readonly string[]
  readonly nft: Nft
  readonly conntrack: Conntrack
  readonly clock: Clock
  readonly log: Logger
}

const READ = [SERVICES, ENDPOINT_SLICES]
const SERVICE_OF = 'kubernetes.io/service-name'

/**
 * Leads connections to the addresses of services to their endpoints, by the kernel's rules: kube-proxy in its nftables mode. The rules stay
 * when the agent ends, as what runs does.
 */
export class ServiceProxy implements AgentPart {
  readonly #deps: ServiceProxyDeps
  readonly #changed = new Signal()
  readonly #health: HealthCheckServers

  constructor(deps: ServiceProxyDeps) {
    this.#deps = deps
    this.#health = new HealthCheckServers(deps.log)
  }

  nodeChanged(): void {
    this.#changed.raise()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { objects, conntrack, clusterCidrs } = this.#deps
    await Promise.race([objects.synced(READ), untilAborted(signal)])
    objects.onChange(READ, () => this.#changed.raise())
    let before: readonly RoutedPort[] = []
    let now: readonly RoutedPort[] = []
    const rules = () => {
      const object = agent.node()
      if (object === undefined) return undefined
      const node = proxyNode(object, clusterCidrs)
      now = routedPorts(objects, node)
      return rulesetOfServices(now, node)
    }
    const written = async () => {
      const stale = staleFlows(before, now)
      before = now
      await conntrack.forget(stale)
      await this.#health.serve(now)
    }
    await keepRules({ what: 'services', rules, written, changed: this.#changed }, this.#deps, signal)
    await this.#health.close()
  }
}

function routedPorts(objects: Reader, node: ProxyNode): readonly RoutedPort[] {
  const serviceOf = ({ metadata }: EndpointSlice) => `${metadata.namespace}/${metadata.labels?.[SERVICE_OF]}`
  const slices = Map.groupBy(listObjects(objects, ENDPOINT_SLICES), serviceOf)
  return listObjects(objects, SERVICES).flatMap((service) => {
    const own = slices.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? []
    return proxiedPorts(service).map((port) => ({ port, endpoints: chooseEndpoints(port, own, node) }))
  })
}

function proxyNode({ metadata, spec, status }: Node, clusterCidrs: readonly string[]): ProxyNode {
  return {
    name: metadata.name ?? '',
    zone: metadata.labels?.['topology.kubernetes.io/zone'],
    ips: (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
    podCidrs: clusterCidrs.length > 0 ? clusterCidrs : (spec?.podCIDRs ?? []),
  }
}
