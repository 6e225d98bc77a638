import type { Later } from '../../base/steps.ts'
import type { Quantity } from '../../machinery/quantity.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Pod } from '../types/pod.ts'
import type { Signal } from './thresholds.ts'

export interface FileUse {
  readonly bytes: number
  readonly inodes: number
}

export interface ContainerUse {
  readonly name: string
  readonly memoryBytes: number
  /** Its writable layer. */
  readonly layer: FileUse
  readonly logs: FileUse
}

export interface PodUse {
  /** Running containers only. */
  readonly containers: readonly ContainerUse[]
  /** The usage of its volumes, by name. */
  readonly volumes: ReadonlyMap<string, FileUse>
  readonly processes: number
}

export interface Observation {
  readonly available: Quantity
  readonly capacity: Quantity
}

export type Observations = ReadonlyMap<Signal, Observation>

/** The current usage of a node and its pods. */
export interface Usage {
  readonly observations: Observations
  of(pod: Pod): PodUse
}

/** A source of usage: measured or described. */
export interface UsageSource {
  /** Whether images and writable layers are on another file system than volumes and logs. */
  readonly separateImages: boolean
  /** Whether an eviction is possible at all; if not, usage is not read. */
  worthLooking(node: Node, pods: readonly Pod[]): boolean
  read(node: Node, pods: readonly Pod[]): Later<Usage>
}

export const NO_FILES: FileUse = { bytes: 0, inodes: 0 }
export const sumOf = (uses: readonly FileUse[]): FileUse =>
  uses.reduce((a, b) => ({ bytes: a.bytes + b.bytes, inodes: a.inodes + b.inodes }), NO_FILES)

type Volume = NonNullable<Pod['spec']['volumes']>[number]

/** Volumes that count as ephemeral storage of the pod. */
export const isEphemeral = ({ emptyDir, configMap, gitRepo }: Volume): boolean =>
  configMap !== undefined || gitRepo !== undefined || (emptyDir !== undefined && !emptyDir.medium)

/** The usage of those volumes of the pod that `counts` selects. */
export function volumesOf(pod: Pod, use: PodUse, counts: (volume: Volume) => boolean): FileUse {
  return sumOf((pod.spec.volumes ?? []).filter(counts).flatMap((v) => use.volumes.get(v.name) ?? []))
}
