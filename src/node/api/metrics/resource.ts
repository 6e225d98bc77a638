import type { NodeUsage } from '../usage.ts'
import type { Family, Sample } from './exposition.ts'

const NANO = 1e9

/** `/metrics/resource`: what metrics-server reads. */
export function resourceFamilies({ atMs, cpuNanoseconds, memoryBytes, pods }: NodeUsage): readonly Family[] {
  const containers = pods.flatMap(({ pod, containers: all }) =>
    all.map((one) => ({ one, labels: { container: one.name, pod: pod.name, namespace: pod.namespace } })),
  )
  const ofContainers = (value: (c: (typeof containers)[number]['one']) => number): Sample[] =>
    containers.map(({ one, labels }) => ({ labels, value: value(one), atMs: one.atMs }))
  const ofPods = (value: (p: NodeUsage['pods'][number]) => number): Sample[] =>
    pods.map((p) => ({ labels: { pod: p.pod.name, namespace: p.pod.namespace }, value: value(p), atMs }))
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  const family = (
    name: string,
    type: Family['type'],
    stability: Family['stability'],
    help: string,
    samples: readonly Sample[],
  ): Family => ({
    name,
    type,
    help,
    samples,
    ...(stability && { stability }),
  })
  return [
    family('node_cpu_usage_seconds_total', 'counter', 'STABLE', 'CPU time that the node has used, in seconds of one core', [
      { value: cpuNanoseconds / NANO, atMs },
    ]),
    family('node_memory_working_set_bytes', 'gauge', 'STABLE', 'Working set of the node now, in bytes', [{ value: memoryBytes, atMs }]),
    family('node_swap_usage_bytes', 'gauge', 'ALPHA', 'Swap that the node uses now, in bytes', [{ value: 0, atMs }]),
    family(
      'container_start_time_seconds',
      'gauge',
      'STABLE',
      'When the container started, in seconds since the Unix epoch',
      containers.map(({ one, labels }) => ({ labels, value: one.startedAtMs / 1000 })),
    ),
    family(
      'container_cpu_usage_seconds_total',
      'counter',
      'STABLE',
      'CPU time that the container has used, in seconds of one core',
      ofContainers((c) => c.cpuNanoseconds / NANO),
    ),
    family(
      'container_memory_working_set_bytes',
      'gauge',
      'STABLE',
      'Working set of the container now, in bytes',
      ofContainers((c) => c.memoryBytes),
    ),
    family(
      'container_swap_usage_bytes',
      'gauge',
      'ALPHA',
      'Swap that the container uses now, in bytes',
      ofContainers(() => 0),
    ),
    family(
      'container_swap_limit_bytes',
      'gauge',
      'ALPHA',
      'Swap that the container may use, in bytes',
      ofContainers(() => 0),
    ),
    family(
      'pod_cpu_usage_seconds_total',
      'counter',
      'STABLE',
      'CPU time that the pod has used, in seconds of one core',
      ofPods((p) => sum(p.containers.map((c) => c.cpuNanoseconds)) / NANO),
    ),
    family(
      'pod_memory_working_set_bytes',
      'gauge',
      'STABLE',
      'Working set of the pod now, in bytes',
      ofPods((p) => sum(p.containers.map((c) => c.memoryBytes))),
    ),
    family(
      'pod_swap_usage_bytes',
      'gauge',
      'ALPHA',
      'Swap that the pod uses now, in bytes',
      ofPods(() => 0),
    ),
    family('resource_scrape_error', 'gauge', 'STABLE', '1 where containers could not be measured', [{ value: 0 }]),
    family('scrape_error', 'gauge', 'ALPHA', '(Deprecated since 1.29.0) 1 where containers could not be measured', [{ value: 0 }]),
  ]
}
