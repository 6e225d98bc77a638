import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { aborted, Signal } from '../../base/signal.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { ClusterObjects } from '../cluster-objects.ts'
import { type Nft, RuleWriter } from '../nftables/nft.ts'
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

/** How often the rules are looked for, and how long a failed attempt waits. */
const CHECK_MS = 30_000
const RETRY_MS = 2000

const READ = [SERVICES, ENDPOINT_SLICES]
const SERVICE_OF = 'kubernetes.io/service-name'

/**
 * Leads connections to the addresses of services to their endpoints, by the kernel's rules: kube-proxy in its nftables mode. The rules stay
 * when the agent ends, as what runs does.
 */
export class ServiceProxy implements AgentPart {
  readonly #deps: ServiceProxyDeps
  readonly #changed = new Signal()
  readonly #writer: RuleWriter
  readonly #health: HealthCheckServers
  #routed: readonly RoutedPort[] = []
  #fault = ''

  constructor(deps: ServiceProxyDeps) {
    this.#deps = deps
    this.#writer = new RuleWriter(deps.nft)
    this.#health = new HealthCheckServers(deps.log)
  }

  nodeChanged(): void {
    this.#changed.raise()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { clock, objects } = this.#deps
    await Promise.race([objects.synced(READ), aborted(signal)])
    objects.onChange(READ, () => this.#changed.raise())
    while (!signal.aborted) {
      const object = agent.node()
      const node = object && proxyNode(object, this.#deps.clusterCidrs)
      const written = node !== undefined && (await this.#write(routedPorts(objects, node), node))
      const why = await this.#changed.wait({ clock, untilMs: clock.now() + (written ? CHECK_MS : RETRY_MS), signal })
      if (why === 'late') await this.#writer.check().catch(() => {})
    }
    await this.#health.close()
  }

  async #write(ports: readonly RoutedPort[], node: ProxyNode): Promise<boolean> {
    const { log, conntrack } = this.#deps
    try {
      await this.#writer.write(rulesetOfServices(ports, node))
      const stale = staleFlows(this.#routed, ports)
      this.#routed = ports
      await conntrack.forget(stale)
      await this.#health.serve(ports)
      this.#fault = ''
      return true
    } catch (error) {
      const fault = messageOf(error)
      if (fault !== this.#fault)
        log.warn('the rules of services could not be written (this needs nft and root), trying again', { error: fault })
      this.#fault = fault
      return false
    }
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
