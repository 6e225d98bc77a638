import type { KubeObject } from '../../machinery/object.ts'
import type { ReportedDecision, ReportedMemory } from './topology-report.ts'

/** Which pod has which part of a node's machine: `bowsprit.dev/v1 NodeReport`, under the node's name. Computed for each request. */
export interface NodeReport extends KubeObject {
  /** `topologyManagerPolicy` and `topologyManagerScope` of the node. */
  readonly policy: string
  readonly scope: string
  readonly numaNodes: readonly NodeNuma[]
  /** Devices without a NUMA node. */
  readonly devices: readonly NodeDevices[]
  /** The pods of the node, as many as docs/limits.md permits. */
  readonly pods: readonly NodePod[]
  readonly unlisted?: number
}

export interface NodeNuma {
  readonly id: number
  readonly cpus: readonly NodeCpu[]
  readonly memory: readonly NodeMemory[]
  readonly devices: readonly NodeDevices[]
}

export interface NodeCpu {
  readonly id: number
  readonly core: number
  readonly socket: number
  /** `pod`: exclusively that of `pod`; `reserved`: for the system; `shared`: the shared pool. */
  readonly use: 'pod' | 'reserved' | 'shared'
  /** `namespace/name`. */
  readonly pod?: string
}

/** In bytes. */
export interface NodeMemory extends Pick<ReportedMemory, 'type' | 'total' | 'reserved'> {
  /** Reserved for pods. */
  readonly used: number
}

export interface NodeDevices {
  readonly resource: string
  readonly total: number
  readonly free: number
  readonly unhealthy: number
  readonly devices: readonly NodeDevice[]
}

export interface NodeDevice {
  readonly id: string
  readonly healthy: boolean
  /** `namespace/name`; absent: it is free. */
  readonly pod?: string
}

export interface NodePod {
  readonly namespace: string
  readonly name: string
  /** What it has for itself, or why it was not taken. */
  readonly summary: string
  readonly decisions: readonly ReportedDecision[]
}
