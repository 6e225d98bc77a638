import type { MemoryDetail, NetworkUse } from '../runtime/runtime.ts'
import type { DiskUse } from './volume-use.ts'

/** What a real machine and its pods use, beside the processors and the memory of containers. */
export interface MachineUse {
  readonly node: NodeUse
  /** By UID. */
  readonly pods: ReadonlyMap<string, PodUseOnMachine>
}

/** What all of the machine uses, pods or not. */
export interface NodeUse {
  /** Since the machine started. */
  readonly cpuNanoseconds: number
  readonly memory: MemoryDetail & { readonly workingSetBytes: number; readonly availableBytes: number }
  /** That of its way out first. */
  readonly networks: readonly NetworkUse[]
  /** The file system with volumes and logs. */
  readonly disk: DiskUse
  /** That with images, and what these take. */
  readonly images: DiskUse
  /** That with writable layers, and what these take. */
  readonly layers: DiskUse
  readonly processes: { readonly most: number; readonly present: number }
}

export interface PodUseOnMachine {
  readonly networks: readonly NetworkUse[]
  readonly processes: number
  /** By container. */
  readonly containers: ReadonlyMap<string, { readonly layer: DiskUse; readonly logs: DiskUse }>
  /** What counts as its ephemeral storage. */
  readonly ephemeral: DiskUse
}
