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
  /** What it has written beside its image. */
  readonly layer: FileUse
  readonly logs: FileUse
}

export interface PodUse {
  /** Of running containers only. */
  readonly containers: readonly ContainerUse[]
  /** What lies in its volumes, by name. */
  readonly volumes: ReadonlyMap<string, FileUse>
  readonly processes: number
}

export interface Observation {
  readonly available: Quantity
  readonly capacity: Quantity
}

export type Observations = ReadonlyMap<Signal, Observation>

/** What a node and its pods use at one moment. */
export interface Usage {
  readonly observations: Observations
  of(pod: Pod): PodUse
}

/** Where usage is read: measured, or described. */
export interface UsageSource {
  /** Whether images and the layers of containers lie on another file system than volumes and logs. */
  readonly separateImages: boolean
  /** Whether anything can be known that may lead to an eviction; while not, nobody looks. */
  worthLooking(node: Node, pods: readonly Pod[]): boolean
  read(node: Node, pods: readonly Pod[]): Usage
}

export const NO_FILES: FileUse = { bytes: 0, inodes: 0 }
export const sumOf = (uses: readonly FileUse[]): FileUse =>
  uses.reduce((a, b) => ({ bytes: a.bytes + b.bytes, inodes: a.inodes + b.inodes }), NO_FILES)

type Volume = NonNullable<Pod['spec']['volumes']>[number]

/** Volumes that count as the pod's own storage on the node's disk. */
export const isEphemeral = ({ emptyDir, configMap, gitRepo }: Volume): boolean =>
  configMap !== undefined || gitRepo !== undefined || (emptyDir !== undefined && !emptyDir.medium)

/** What lies in those of the pod's volumes of which `counts` says so. */
export function volumesOf(pod: Pod, use: PodUse, counts: (volume: Volume) => boolean): FileUse {
  return sumOf((pod.spec.volumes ?? []).filter(counts).flatMap((v) => use.volumes.get(v.name) ?? []))
}
