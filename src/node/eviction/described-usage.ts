import type { Later } from '../../base/steps.ts'
import { Quantity, tryParseQuantity } from '../../machinery/quantity.ts'
import { type SimulatedAnnotationName, simulatedKey } from '../../machinery/simulated-annotations.ts'
import type { Node } from '../../resources/types/core.ts'
import type { PodFiles } from '../runtime/runtime.ts'
import type { Pod } from '../types/pod.ts'
import { describesUsage } from './described-keys.ts'
import { SIGNALS, type Signal } from './thresholds.ts'
import type { ContainerUse, Observation, Observations, PodUse, UsageSource } from './usage.ts'

export interface DescribedUsageDeps {
  /** The current memory usage of the running containers of these pods, in bytes. */
  readonly memory: (pods: readonly Pod[]) => Later<(pod: Pod) => readonly { readonly name: string; readonly bytes: number }[]>
  /** What programs have written, in addition to described usage. */
  readonly files?: (pod: Pod) => Pick<PodFiles, 'layers' | 'volumes'> | undefined
  /** Whether a workload describes the usage of a pod that has no annotations of its own. */
  readonly described?: (pod: Pod) => boolean
  /** The reserved memory of the node. Default 0. */
  readonly reservedMemoryBytes?: number
  /** Thresholds were configured explicitly, so usage is read even if no usage is described. */
  readonly always?: boolean
  /** Default: images are on the same file system as everything else. */
  readonly separateImages?: boolean
}

/** The maximum number of process ids of 64-bit Linux. */
const PROCESS_IDS = 4_194_304
/** The default of ext4: one inode per so many bytes. */
const BYTES_AN_INODE = 16_384

/**
 * Usage from annotations of pods (`ephemeral-storage`, `volume.NAME`, `log-bytes`, `inodes`, `processes`) and of the node
 * (`memory.available` and the other signals).
 */
export function createDescribedUsage(deps: DescribedUsageDeps): UsageSource {
  return {
    separateImages: deps.separateImages === true,
    worthLooking: (node, pods) =>
      deps.always === true || describesUsage(node) || pods.some((pod) => describesUsage(pod) || deps.described?.(pod) === true),
    async read(node, pods) {
      const held = await deps.memory(pods)
      const use = (pod: Pod) => useOf(pod, held(pod), deps)
      const uses = new Map(pods.map((pod) => [pod.metadata.uid, use(pod)]))
      const of = (pod: Pod) => uses.get(pod.metadata.uid) ?? use(pod)
      return { observations: observe(node, [...uses.values()], deps.reservedMemoryBytes ?? 0), of }
    },
  }
}

function useOf(pod: Pod, held: readonly { readonly name: string; readonly bytes: number }[], { files }: DescribedUsageDeps): PodUse {
  const written = files?.(pod)
  const amount = (what: SimulatedAnnotationName, of?: string) => amountOf(pod.metadata.annotations?.[simulatedKey(what, of)])
  const each = (what: SimulatedAnnotationName, name: string) => amount(what, name) ?? (amount(what) ?? 0) / Math.max(1, held.length)
  const containers = held.map(({ name, bytes }): ContainerUse => {
    const own = written?.layers.get(name) ?? 0
    return {
      name,
      memoryBytes: bytes,
      layer: { bytes: each('ephemeral-storage', name) + own, inodes: each('inodes', name) },
      logs: { bytes: each('log-bytes', name), inodes: 0 },
    }
  })
  const volumes = new Map([...(written?.volumes ?? [])].map(([name, bytes]) => [name, { bytes, inodes: 1 }]))
  for (const { name } of pod.spec.volumes ?? []) {
    const bytes = amount('volume', name)
    if (bytes !== undefined) volumes.set(name, { bytes, inodes: 1 })
  }
  return { containers, volumes, processes: amount('processes') ?? held.length }
}

/** Undefined for an invalid amount. */
function amountOf(text: string | undefined): number | undefined {
  const value = text === undefined ? undefined : tryParseQuantity(text)?.value()
  return value === undefined || value < 0 ? undefined : value
}

/** The node's annotations count; without one, the capacity minus the usage of the pods. */
function observe(node: Node, uses: readonly PodUse[], reservedBytes: number): Observations {
  const sum = (of: (use: PodUse) => number) => uses.reduce((total, use) => total + of(use), 0)
  const memory = sum((u) => u.containers.reduce((total, c) => total + c.memoryBytes, 0))
  const layers = sum((u) => u.containers.reduce((total, c) => total + c.layer.bytes, 0))
  const others = sum((u) => u.containers.reduce((total, c) => total + c.logs.bytes, 0) + volumeBytes(u))
  const inodes = sum((u) => u.containers.reduce((total, c) => total + c.layer.inodes, 0))
  const has = (name: string) => amountOf(String(node.status?.capacity?.[name] ?? '0')) ?? 0
  const disk = has('ephemeral-storage')
  const left = (capacity: number, used: number, format: 'BinarySI' | 'DecimalSI'): Observation => ({
    capacity: Quantity.of(capacity, format),
    available: Quantity.of(Math.max(0, capacity - used), format),
  })
  const computed: Readonly<Record<Signal, Observation>> = {
    'memory.available': left(has('memory'), memory, 'BinarySI'),
    'allocatableMemory.available': left(has('memory') - reservedBytes, memory, 'BinarySI'),
    'nodefs.available': left(disk, layers + others, 'BinarySI'),
    'imagefs.available': left(disk, layers + others, 'BinarySI'),
    'nodefs.inodesFree': left(Math.floor(disk / BYTES_AN_INODE), inodes, 'DecimalSI'),
    'imagefs.inodesFree': left(Math.floor(disk / BYTES_AN_INODE), inodes, 'DecimalSI'),
    'pid.available': left(
      PROCESS_IDS,
      sum((u) => u.processes),
      'DecimalSI',
    ),
  }
  return new Map(SIGNALS.map((signal) => [signal, said(node, signal, computed[signal])]))
}

const volumeBytes = ({ volumes }: PodUse) => [...volumes.values()].reduce((sum, v) => sum + v.bytes, 0)

/** An annotation such as `512Mi`, or `4%` of the capacity. */
function said(node: Node, signal: Signal, computed: Observation): Observation {
  const text = node.metadata.annotations?.[simulatedKey(signal)]
  const part = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text ?? '')?.[1]
  const { capacity } = computed
  if (part !== undefined) return { capacity, available: Quantity.of(Math.floor((capacity.value() * Number(part)) / 100), capacity.format) }
  const value = text === undefined ? undefined : tryParseQuantity(text)
  return value === undefined || value.sign() < 0 ? computed : { capacity, available: value }
}
