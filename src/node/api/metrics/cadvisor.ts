import type { MemoryDetail, NetworkUse } from '../../runtime/runtime.ts'
import type { DiskUse } from '../../types/volume-use.ts'
import { quantityValue } from '../amounts.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import type { NodeUsage } from '../usage.ts'
import type { Family, Sample } from './exposition.ts'

/** A group of processes: the machine, a pod, or a container. */
interface Group {
  readonly labels: Readonly<Record<string, string>>
  readonly cpuSeconds: number
  readonly memoryBytes: number
  readonly startedAtMs: number
  readonly limitBytes: number
  readonly cpuShares: number
  readonly memory: MemoryDetail | undefined
  /** Empty: its processes have the network of another group. */
  readonly networks: readonly NetworkUse[]
  /** What it has written, where that is measured. */
  readonly files: readonly DiskUse[]
  readonly atMs: number
}

/** Metrics that are always 0 on a simulated node. By name, the label that a series has in addition to those of its container. */
const STILL: readonly (readonly [name: string, type: Family['type'], extra?: readonly [label: string, values: readonly string[]]])[] = [
  ['container_cpu_load_average_10s', 'gauge'],
  ['container_cpu_load_d_average_10s', 'gauge'],
  ['container_cpu_system_seconds_total', 'counter'],
  ['container_file_descriptors', 'gauge'],
  ...(['inodes_free', 'inodes_total', 'io_current', 'limit_bytes', 'usage_bytes'] as const).map(
    (name) => [`container_fs_${name}`, 'gauge', ['device', ['/dev/vda1']]] as const,
  ),
  ...(
    ['io_time_seconds', 'io_time_weighted_seconds', 'read_seconds', 'reads_merged', 'reads', 'sector_reads', 'sector_writes'] as const
  ).map((name) => [`container_fs_${name}_total`, 'counter', ['device', ['/dev/vda1']]] as const),
  ...(['write_seconds', 'writes_merged', 'writes'] as const).map(
    (name) => [`container_fs_${name}_total`, 'counter', ['device', ['/dev/vda1']]] as const,
  ),
  ['container_health_state', 'gauge'],
  ['container_memory_cache', 'gauge'],
  ['container_memory_failcnt', 'counter'],
  ['container_memory_kernel_usage', 'gauge'],
  ['container_memory_mapped_file', 'gauge'],
  ['container_memory_swap', 'gauge'],
  ['container_memory_total_active_file_bytes', 'gauge'],
  ['container_memory_total_inactive_file_bytes', 'gauge'],
  ['container_oom_events_total', 'counter'],
  ['container_sockets', 'gauge'],
  ['container_spec_memory_reservation_limit_bytes', 'gauge'],
  ['container_spec_memory_swap_limit_bytes', 'gauge'],
  ['container_tasks_state', 'gauge', ['state', ['iowaiting', 'running', 'sleeping', 'stopped', 'uninterruptible']]],
  ['container_threads_max', 'gauge'],
]

/** What the pods of a simulated node send. */
const SILENT: NetworkUse = { name: 'eth0', rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 }
/** Of packets nothing is known on a real node. */
const NETWORK: readonly (readonly [name: string, of: (use: NetworkUse) => number, simulatedOnly?: true])[] = [
  ['receive_bytes', (use) => use.rxBytes],
  ['receive_errors', (use) => use.rxErrors],
  ['receive_packets_dropped', () => 0, true],
  ['receive_packets', () => 0, true],
  ['transmit_bytes', (use) => use.txBytes],
  ['transmit_errors', (use) => use.txErrors],
  ['transmit_packets_dropped', () => 0, true],
  ['transmit_packets', () => 0, true],
]

/** `/metrics/cadvisor`: the container metrics that cAdvisor measures on a real machine. */
export function cadvisorFamilies(host: KubeletHost, usage: NodeUsage): readonly Family[] {
  const real = usage.machine !== undefined
  const groups = [machine(host, usage), ...usage.pods.flatMap((pod) => groupsOf(pod, usage))]
  const family = (name: string, type: Family['type'], samples: readonly Sample[]): Family => ({
    name,
    type,
    help: HELP.get(name) ?? 'Always 0 on a simulated node',
    samples,
  })
  const each = (name: string, type: Family['type'], value: (g: Group) => number, more: Readonly<Record<string, string>> = {}) =>
    family(
      name,
      type,
      groups.map((g) => ({ labels: { ...g.labels, ...more }, value: value(g), atMs: g.atMs })),
    )
  const ids = { boot_id: host.ids.bootId, machine_id: host.ids.machineId, system_uuid: host.ids.machineId }
  const ofMachine = (name: string, value: number, more = {}) => family(name, 'gauge', [{ labels: { ...ids, ...more }, value }])
  const { cpu, memory, kernelVersion, osImage } = host.machine
  return [
    family('cadvisor_version_info', 'gauge', [
      { labels: { cadvisorRevision: '', cadvisorVersion: '', dockerVersion: '', kernelVersion, osVersion: osImage }, value: 1 },
    ]),
    ...(real ? [] : STILL).map(([name, type, [label, values] = ['', ['']]]) =>
      family(
        name,
        type,
        groups.flatMap((g) =>
          values.map((v) => ({ labels: { ...g.labels, ...(label !== '' && { [label]: v }) }, value: 0, atMs: g.atMs })),
        ),
      ),
    ),
    ...(real ? [family('container_fs_usage_bytes', 'gauge', groups.flatMap(writtenBytes))] : []),
    ...NETWORK.filter(([, , simulatedOnly]) => !(real && simulatedOnly)).map(([name, of]) =>
      family(
        `container_network_${name}_total`,
        'counter',
        groups.flatMap((g) => g.networks.map((use) => ({ labels: { ...g.labels, interface: use.name }, value: of(use), atMs: g.atMs }))),
      ),
    ),
    family(
      'container_memory_failures_total',
      'counter',
      groups.flatMap((g) =>
        ['container', 'hierarchy'].flatMap((scope) =>
          FAILURES.map(([failure_type, of]) => ({ labels: { ...g.labels, scope, failure_type }, value: of(g), atMs: g.atMs })),
        ),
      ),
    ),
    each('container_cpu_usage_seconds_total', 'counter', (g) => g.cpuSeconds, { cpu: 'total' }),
    each('container_cpu_user_seconds_total', 'counter', (g) => g.cpuSeconds),
    each('container_memory_rss', 'gauge', (g) => g.memory?.residentBytes ?? g.memoryBytes),
    each('container_memory_usage_bytes', 'gauge', (g) => g.memory?.usageBytes ?? g.memoryBytes),
    ...(real
      ? []
      : [
          each('container_memory_max_usage_bytes', 'gauge', (g) => g.memoryBytes),
          each('container_processes', 'gauge', () => 1),
          each('container_threads', 'gauge', () => 1),
          each('container_ulimits_soft', 'gauge', () => 1_048_576, { ulimit: 'max_open_files' }),
        ]),
    each('container_memory_working_set_bytes', 'gauge', (g) => g.memoryBytes),
    each('container_last_seen', 'gauge', (g) => Math.trunc(g.atMs / 1000)),
    each('container_start_time_seconds', 'gauge', (g) => Math.trunc(g.startedAtMs / 1000)),
    each('container_spec_cpu_period', 'gauge', () => 100_000),
    each('container_spec_cpu_shares', 'gauge', (g) => g.cpuShares),
    each('container_spec_memory_limit_bytes', 'gauge', (g) => g.limitBytes),
    family('container_scrape_error', 'gauge', [{ value: 0 }]),
    family('machine_scrape_error', 'gauge', [{ value: 0 }]),
    ofMachine('machine_cpu_books', 0),
    ofMachine('machine_cpu_cores', quantityValue(cpu)),
    ofMachine('machine_cpu_drawers', 0),
    ofMachine('machine_cpu_physical_cores', quantityValue(cpu)),
    ofMachine('machine_cpu_sockets', 1),
    ofMachine('machine_memory_bytes', quantityValue(memory)),
    ofMachine('machine_nvm_avg_power_budget_watts', 0),
    family(
      'machine_nvm_capacity',
      'gauge',
      ['app_direct_mode', 'memory_mode'].map((mode) => ({ labels: { ...ids, mode }, value: 0 })),
    ),
    ofMachine('machine_swap_bytes', 0),
  ]
}

const HELP: ReadonlyMap<string, string> = new Map([
  ['cadvisor_version_info', 'Always 1, with what the machine runs as labels'],
  ['container_cpu_usage_seconds_total', 'CPU time used, in seconds of one core'],
  ['container_cpu_user_seconds_total', 'CPU time used by programs, in seconds of one core'],
  ['container_memory_rss', 'Resident memory, in bytes'],
  ['container_memory_usage_bytes', 'Memory used now, in bytes'],
  ['container_memory_max_usage_bytes', 'Memory used now, in bytes: a simulated container remembers no maximum'],
  ['container_memory_working_set_bytes', 'Working set now, in bytes'],
  ['container_fs_usage_bytes', 'What it has written, in bytes'],
  ['container_last_seen', 'When it was last measured, in seconds since the Unix epoch'],
  ['container_start_time_seconds', 'When it started, in seconds since the Unix epoch'],
  ['container_network_receive_bytes_total', 'Bytes received'],
  ['container_network_receive_errors_total', 'Errors while receiving'],
  ['container_network_transmit_bytes_total', 'Bytes sent'],
  ['container_network_transmit_errors_total', 'Errors while sending'],
  ['container_memory_failures_total', 'Page faults'],
  ['container_processes', 'Processes inside'],
  ['container_threads', 'Threads inside'],
  ['container_ulimits_soft', 'Soft limits of its first process'],
  ['container_spec_cpu_period', 'Period of the CPU quota, in microseconds'],
  ['container_spec_cpu_shares', 'CPU shares'],
  ['container_spec_memory_limit_bytes', 'Memory limit in bytes; 0: none'],
  ['machine_cpu_cores', 'Logical processors'],
  ['machine_cpu_physical_cores', 'Cores'],
  ['machine_cpu_sockets', 'Sockets'],
  ['machine_memory_bytes', 'Memory in bytes'],
])

const FAILURES: readonly (readonly [type: string, of: (group: Group) => number])[] = [
  ['pgfault', ({ memory }) => memory?.pageFaults ?? 0],
  ['pgmajfault', ({ memory }) => memory?.majorPageFaults ?? 0],
]

const writtenBytes = ({ labels, files, atMs }: Group): Sample[] =>
  files.map(({ usedBytes }) => ({ labels: { ...labels, device: '' }, value: usedBytes, atMs }))

const NOBODY = { container: '', image: '', name: '', namespace: '', pod: '' }

const machine = (host: KubeletHost, usage: NodeUsage): Group => ({
  labels: { ...NOBODY, id: '/' },
  cpuSeconds: usage.cpuNanoseconds / 1e9,
  memoryBytes: usage.memoryBytes,
  startedAtMs: usage.atMs,
  limitBytes: quantityValue(host.machine.memory),
  cpuShares: 1024,
  memory: usage.machine?.node.memory,
  networks: usage.machine?.node.networks ?? [SILENT],
  files: usage.machine === undefined ? [] : [usage.machine.node.disk],
  atMs: usage.atMs,
})

function groupsOf({ pod, containers, object, startedAtMs }: NodeUsage['pods'][number], { atMs, machine }: NodeUsage): Group[] {
  const use = machine?.pods.get(pod.uid)
  const id = `/kubepods/pod${pod.uid}`
  const named = { ...NOBODY, namespace: pod.namespace, pod: pod.name }
  const sum = (of: (c: (typeof containers)[number]) => number) => containers.reduce((all, c) => all + of(c), 0)
  const whole: Group = {
    labels: { ...named, id },
    cpuSeconds: sum((c) => c.cpuNanoseconds) / 1e9,
    memoryBytes: sum((c) => c.memoryBytes),
    startedAtMs,
    limitBytes: 0,
    cpuShares: 2,
    memory: undefined,
    networks: machine === undefined ? [SILENT] : (use?.networks ?? []),
    files: [],
    atMs,
  }
  const specs = [...(object?.spec.containers ?? []), ...(object?.spec.initContainers ?? [])]
  return [
    whole,
    ...containers.map((c): Group => {
      const spec = specs.find((s) => s.name === c.name)
      const limit = spec?.resources?.limits?.memory
      const cpu = spec?.resources?.requests?.cpu
      const containerId = c.containerId.replace(/^.*:\/\//, '')
      return {
        labels: { ...named, container: c.name, id: `${id}/${containerId}`, name: containerId, image: spec?.image ?? '' },
        cpuSeconds: c.cpuNanoseconds / 1e9,
        memoryBytes: c.memoryBytes,
        startedAtMs: c.startedAtMs,
        limitBytes: limit === undefined ? 0 : quantityValue(limit),
        cpuShares: cpu === undefined ? 2 : Math.max(2, Math.trunc(quantityValue(cpu) * 1024)),
        memory: c.memory,
        networks: [],
        files: [use?.containers.get(c.name)?.layer].filter((disk) => disk !== undefined),
        atMs: c.atMs,
      }
    }),
  ]
}
