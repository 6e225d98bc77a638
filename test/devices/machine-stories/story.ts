import type { JsonObject } from '../../../src/machinery/object.ts'

export interface RecordedContainer {
  readonly name: string
  readonly init?: boolean
  readonly restartPolicy?: string
  readonly resources?: JsonObject | null
}

export interface RecordedCall {
  readonly call: string
  readonly pod: string
  readonly container: string
  readonly cpu_quota?: number
  readonly cpu_shares?: number
  readonly cpuset_cpus?: string
  readonly cpuset_mems?: string
}

/** A pod that was added or removed, or the state after a restart of the agent. */
export interface RecordedFact {
  readonly pod?: string
  readonly deleted?: string
  readonly afterRestart?: unknown
  readonly containers?: readonly RecordedContainer[]
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly events?: readonly { readonly type: string; readonly reason: string; readonly message: string }[]
  readonly runtime?: readonly RecordedCall[]
  readonly podResources?: JsonObject
  readonly cpuCheckpoint?: JsonObject
  readonly memoryCheckpoint?: JsonObject
}

export interface RecordedGroup {
  readonly story: string
  readonly machine: string
  readonly kubeletConfiguration: JsonObject
  readonly refusesToStart?: readonly string[]
  readonly node?: { readonly capacity: JsonObject; readonly allocatable: JsonObject }
  readonly before?: {
    readonly cpuCheckpoint: JsonObject
    readonly memoryCheckpoint: JsonObject
    readonly podResourcesAllocatable?: JsonObject
  }
  readonly facts?: readonly RecordedFact[]
  readonly startedAgainWith?: readonly { readonly change: string; readonly error: readonly string[] }[]
}
