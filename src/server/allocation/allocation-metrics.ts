import type { Clock } from '../../base/clock.ts'
import { Counts, type Family, Histograms, label, labels, type Sample } from '../../base/exposition.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { IP_ADDRESSES } from '../../resources/refs.ts'
import { serviceCidrs } from './cluster-ips.ts'
import type { NodePortRange } from './node-port-range.ts'
import { usedNodePorts } from './node-ports.ts'

/** Whether the user asked for this very value. */
export type Scope = 'static' | 'dynamic'

/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of the allocation of cluster IPs and node ports, by kube-apiserver's names. What is free is counted at a scrape. */
export class AllocationMetrics {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #ips = new Counts()
  readonly #seconds = new Histograms(BOUNDS)
  readonly #ports = new Counts()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** An allocation begins. Call the result when an address of this network is allocated. */
  begin(): (cidr: string, scope: Scope) => void {
    const begun = this.#clock.monotonic()
    return (cidr, scope) => {
      this.#ips.bump(labels({ cidr, scope }))
      this.#seconds.observe(label('cidr', cidr), (this.#clock.monotonic() - begun) / 1000)
    }
  }

  portTaken(scope: Scope): void {
    this.#ports.bump(label('scope', scope))
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
    const name = 'kube_apiserver_clusterip_allocator'
    return [
      { name: `${name}_allocation_total`, type: 'counter', help: 'Cluster IPs that were allocated.', samples: this.#ips },
      {
        name: `${name}_allocation_duration_seconds`,
        type: 'histogram',
        help: 'How long the allocation of a cluster IP took.',
        samples: this.#seconds,
      },
      gauge(
        `${name}_allocated_ips`,
        'Cluster IPs in use.',
        networks.map(({ own, allocated }): Sample => [own, allocated]),
      ),
      gauge(
        `${name}_available_ips`,
        'Cluster IPs that are free.',
        networks.map(({ own, available }): Sample => [own, available]),
      ),
    ]
  }

  #nodePorts(reader: Reader, { first, last }: NodePortRange): Family[] {
    const allocated = usedNodePorts(reader).size
    const name = 'kube_apiserver_nodeport_allocator'
    return [
      { name: `${name}_allocation_total`, type: 'counter', help: 'Node ports that were allocated.', samples: this.#ports },
      gauge(`${name}_allocated_ports`, 'Node ports in use.', [['', allocated]]),
      gauge(`${name}_available_ports`, 'Node ports that are free.', [['', last - first + 1 - allocated]]),
    ]
  }
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({ name, type: 'gauge', help, samples })
