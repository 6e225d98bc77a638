import { exponentialBounds, labels, type Sample } from '../../../base/exposition.ts'
import { CounterMetric, counter, gauge, HistogramMetric } from '../../../base/metrics.ts'
import type { Machine } from '../../machine/machine.ts'
import type { MetricSource } from '../../metrics/metric-source.ts'
import type { CpuManager } from '../cpus/cpu-manager.ts'
import type { TopologyPolicy } from '../hints/merge-hints.ts'
import type { MemoryManager } from '../memory/memory-manager.ts'

type Scope = 'container' | 'pod'

/** The metrics of the topology manager's decisions. */
export interface AdmissionCounts extends MetricSource {
  /** An admission, and its duration. */
  requested(ms: number): void
  failed(): void
  /** A container, or a pod as a whole, was aligned to one NUMA node, or should have been. Counted only if the policy requires it. */
  aligned(scope: Scope, done: boolean): void
}

const ALIGNED = { name: 'kubelet_container_aligned_compute_resources_count', help: 'Allocations that lie together, by what they share.' }
const NOT_ALIGNED = {
  name: 'kubelet_container_aligned_compute_resources_failure_count',
  help: 'Allocations that could not lie together, by what they should have shared.',
}
const BOUNDARY = { labels: ['scope', 'boundary'] }

/** 0.05 ms, doubled fourteen times. */
const MILLISECONDS = exponentialBounds(0.05, 2, 15)

export function createAdmissionCounts(policy: TopologyPolicy): AdmissionCounts {
  const requests = new CounterMetric({
    name: 'kubelet_topology_manager_admission_requests_total',
    help: 'Pods that the topology manager judged.',
  })
  const errors = new CounterMetric({ name: 'kubelet_topology_manager_admission_errors_total', help: 'Pods that it turned away.' })
  const durations = new HistogramMetric({
    name: 'kubelet_topology_manager_admission_duration_ms',
    help: 'How long it took to judge a pod, in milliseconds.',
    bounds: MILLISECONDS,
  })
  const aligned = new CounterMetric({ ...ALIGNED, ...BOUNDARY })
  const notAligned = new CounterMetric({ ...NOT_ALIGNED, ...BOUNDARY })
  if (policy !== 'none')
    for (const metric of [aligned, notAligned]) for (const scope of ['container', 'pod']) metric.add([scope, 'numa_node'], 0)
  return {
    requested(ms) {
      requests.add()
      durations.observe(ms)
    },
    failed: () => errors.add(),
    aligned(scope, done) {
      if (policy === 'single-numa-node') (done ? aligned : notAligned).add([scope, 'numa_node'])
    },
    families: () => [requests, errors, durations, aligned, notAligned].map((m) => m.family),
  }
}

export interface CountedManagers {
  readonly machine: Machine
  readonly admissions: AdmissionCounts
  readonly cpu: CpuManager | undefined
  readonly memory: MemoryManager | undefined
}

/** The metrics of all managers of a node, with the kubelet's names. */
export function topologyMetrics({ machine, admissions, cpu, memory }: CountedManagers): MetricSource {
  const count = (name: string, help: string, value: number) => counter({ name, help }, [['', value]])
  return {
    families() {
      const own = admissions.families()
      const cores = cpu === undefined ? [] : alignments(cpu)
      return [
        ...own.map((family) => ({
          ...family,
          samples: [...family.samples, ...cores.filter(([name]) => name === family.name).map(([, sample]) => sample)],
        })),
        count('kubelet_cpu_manager_pinning_requests_total', 'Containers that asked for processors of their own.', cpu?.pins.requests ?? 0),
        count('kubelet_cpu_manager_pinning_errors_total', 'Of these, those that did not get them.', cpu?.pins.errors ?? 0),
        gauge({ name: 'kubelet_cpu_manager_shared_pool_size_millicores', help: 'Processors that containers share.' }, [
          ['', (cpu?.pool.size ?? 0) * 1000],
        ]),
        gauge({ name: 'kubelet_cpu_manager_exclusive_cpu_allocation_count', help: 'Processors that containers have for themselves.' }, [
          ['', cpu?.exclusive.size ?? 0],
        ]),
        gauge(
          { name: 'kubelet_cpu_manager_allocation_per_numa', help: 'The same for each NUMA node.' },
          cpu === undefined ? [] : perNode(machine, cpu),
        ),
        count(
          'kubelet_memory_manager_pinning_requests_total',
          'Containers that asked for memory of their own.',
          memory?.pins.requests ?? 0,
        ),
        count('kubelet_memory_manager_pinning_errors_total', 'Of these, those that did not get it.', memory?.pins.errors ?? 0),
      ]
    },
  }
}

function perNode(machine: Machine, cpu: CpuManager): Sample[] {
  const held = cpu.exclusive
  return machine.layout.nodes.map((node) => [
    labels({ numa_node: String(node) }),
    machine.cpus.filter((c) => c.node === node && held.has(c.id)).length,
  ])
}

/** How often containers got whole cores, or CPUs of one last-level cache. */
function alignments({ pins }: CpuManager): (readonly [name: string, sample: Sample])[] {
  const of = (boundary: string) => labels({ boundary, scope: 'container' })
  return [
    [ALIGNED.name, [of('physical_cpu'), pins.wholeCores]],
    [ALIGNED.name, [of('uncore_cache'), pins.oneCache]],
    [NOT_ALIGNED.name, [of('physical_cpu'), pins.noWholeCores]],
  ]
}
