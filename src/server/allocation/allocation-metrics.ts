import type { Clock } from '../../base/clock.ts'
import { type Family, label, type Sample } from '../../base/exposition.ts'
import { CounterMetric, gauge, HistogramMetric } from '../../base/metrics.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { IP_ADDRESSES } from '../../resources/refs.ts'
import { serviceCidrs } from './cluster-ips.ts'
import type { NodePortRange } from './node-port-range.ts'
import { usedNodePorts } from './node-ports.ts'

/** Whether the user asked for this very value. */
export type Scope = 'static' | 'dynamic'

const IPS = 'kube_apiserver_clusterip_allocator'
const PORTS = 'kube_apiserver_nodeport_allocator'
/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of the allocation of cluster IPs and node ports, by kube-apiserver's names. What is free is counted at a scrape. */
export class AllocationMetrics {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #ips = new CounterMetric({
    name: `${IPS}_allocation_total`,
    help: 'Cluster IPs that were allocated.',
    labels: ['cidr', 'scope'],
  })
  readonly #seconds = new HistogramMetric({
    name: `${IPS}_allocation_duration_seconds`,
    help: 'How long the allocation of a cluster IP took.',
    labels: ['cidr'],
    bounds: BOUNDS,
  })
  readonly #ports = new CounterMetric({
    name: `${PORTS}_allocation_total`,
    help: 'Node ports that were allocated.',
    labels: ['scope'],
  })

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** An allocation begins. Call the result when an address of this network is allocated. */
  begin(): (cidr: string, scope: Scope) => void {
    const begun = this.#clock.monotonic()
    return (cidr, scope) => {
      this.#ips.add([cidr, scope])
      this.#seconds.observe((this.#clock.monotonic() - begun) / 1000, [cidr])
    }
  }

  portTaken(scope: Scope): void {
    this.#ports.add([scope])
  }

  families(reader: Reader, nodePorts: NodePortRange): Family[] {
    return [...this.#addresses(reader), ...this.#nodePorts(reader, nodePorts)]
  }

  #addresses(reader: Reader): Family[] {
    const addresses = listObjects(reader, IP_ADDRESSES).map(({ metadata }) => metadata.name ?? '')
    const networks = serviceCidrs({ reader }).map(({ text, range }) => {
      const allocated = addresses.filter((ip) => range.offsetOf(ip) !== undefined).length
      return { own: label('cidr', text), allocated, available: Number(range.size) - allocated }
    })
    return [
      this.#ips.family,
      this.#seconds.family,
      gauge(
        { name: `${IPS}_allocated_ips`, help: 'Cluster IPs in use.' },
        networks.map(({ own, allocated }): Sample => [own, allocated]),
      ),
      gauge(
        { name: `${IPS}_available_ips`, help: 'Cluster IPs that are free.' },
        networks.map(({ own, available }): Sample => [own, available]),
      ),
    ]
  }

  #nodePorts(reader: Reader, { first, last }: NodePortRange): Family[] {
    const allocated = usedNodePorts(reader).size
    return [
      this.#ports.family,
      gauge({ name: `${PORTS}_allocated_ports`, help: 'Node ports in use.' }, [['', allocated]]),
      gauge({ name: `${PORTS}_available_ports`, help: 'Node ports that are free.' }, [['', last - first + 1 - allocated]]),
    ]
  }
}
