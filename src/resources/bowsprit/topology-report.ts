import type { KubeObject } from '../../machinery/object.ts'

/**
 * From where a node gave a pod what it asked for, or why it did not: `bowsprit.dev/v1 TopologyReport`. Never stored: made when somebody
 * asks.
 */
export interface TopologyReport extends KubeObject {
  /** The answer in one sentence. */
  readonly summary: string
  readonly node: string
  /** `topologyManagerPolicy` and `topologyManagerScope` of the node. */
  readonly policy: string
  readonly scope: string
  /** What was decided when the pod was admitted last: for each container, or for the pod as a whole. Empty when it was forgotten. */
  readonly decisions: readonly ReportedDecision[]
  readonly numaNodes: readonly ReportedNumaNode[]
  /** Devices of which no NUMA node is known. */
  readonly devices: readonly ReportedDevices[]
}

export interface ReportedDecision {
  /** Absent: for all containers together. */
  readonly container?: string
  readonly hints: readonly ReportedHints[]
  /** What the policy made of the hints. */
  readonly merged: ReportedHint
  readonly admitted: boolean
}

/** What one provider said of one resource. */
export interface ReportedHints {
  readonly provider: string
  /** Absent: it had nothing to say of the container. */
  readonly resource?: string
  /** Absent: any NUMA node will do. Empty: it cannot be met at all. */
  readonly hints?: readonly ReportedHint[]
}

export interface ReportedHint {
  /** A bit for each NUMA node, node 0 last: `0011` is nodes 0 and 1. Absent: any will do. */
  readonly mask?: string
  readonly preferred: boolean
}

/** One NUMA node and who has what of it now. */
export interface ReportedNumaNode {
  readonly id: number
  readonly cpus: readonly ReportedCpu[]
  readonly memory: readonly ReportedMemory[]
  /** What is near to it. A device that is near to several nodes is listed under each. */
  readonly devices: readonly ReportedDevices[]
}

export interface ReportedCpu {
  readonly id: number
  readonly core: number
  readonly socket: number
  readonly cache: number
  /** `own`: of this pod alone; `others`: of another pod alone; `reserved`: for the system; `shared`: for everybody else. */
  readonly use: 'own' | 'others' | 'reserved' | 'shared'
}

/** Bytes. What is reserved of `memory` holds the huge pages too. */
export interface ReportedMemory {
  readonly type: string
  readonly total: number
  readonly reserved: number
  readonly own: number
  readonly others: number
}

/** Devices of one resource, near to one NUMA node. */
export interface ReportedDevices {
  readonly resource: string
  /** Where there are very many, not all. */
  readonly devices: readonly ReportedDevice[]
  readonly total: number
  readonly own: number
  readonly others: number
  /** Healthy and free. */
  readonly free: number
  readonly unhealthy: number
}

export interface ReportedDevice {
  readonly id: string
  /** `own`: of this pod; `others`: of another pod; `free`: of no pod. */
  readonly use: 'own' | 'others' | 'free'
  /** False: its plugin says so, or has gone. */
  readonly healthy: boolean
}
