import type { KubeObject } from '../../machinery/object.ts'

/**
 * The NUMA resources that a node gave a pod, or why it did not: `bowsprit.dev/v1 TopologyReport`. Never stored: computed for each request.
 */
export interface TopologyReport extends KubeObject {
  /** The result in one sentence. */
  readonly summary: string
  readonly node: string
  /** `topologyManagerPolicy` and `topologyManagerScope` of the node. */
  readonly policy: string
  readonly scope: string
  /** The decisions of the pod's last admission: for each container, or for the pod as a whole. Empty if no longer recorded. */
  readonly decisions: readonly ReportedDecision[]
  readonly numaNodes: readonly ReportedNumaNode[]
  /** Devices without a NUMA node. */
  readonly devices: readonly ReportedDevices[]
}

export interface ReportedDecision {
  /** Absent: for all containers together. */
  readonly container?: string
  readonly hints: readonly ReportedHints[]
  /** The merged hint of the policy. */
  readonly merged: ReportedHint
  readonly admitted: boolean
}

/** The hints of one provider for one resource. */
export interface ReportedHints {
  readonly provider: string
  /** Absent: the provider has no hints for the container. */
  readonly resource?: string
  /** Absent: any NUMA node is suitable. Empty: the request cannot be satisfied. */
  readonly hints?: readonly ReportedHint[]
}

export interface ReportedHint {
  /** A bit for each NUMA node, node 0 last: `0011` is nodes 0 and 1. Absent: any. */
  readonly mask?: string
  readonly preferred: boolean
}

/** One NUMA node and the owners of its resources. */
export interface ReportedNumaNode {
  readonly id: number
  readonly cpus: readonly ReportedCpu[]
  readonly memory: readonly ReportedMemory[]
  /** Devices on this node. A device on several nodes is listed under each. */
  readonly devices: readonly ReportedDevices[]
}

export interface ReportedCpu {
  readonly id: number
  readonly core: number
  readonly socket: number
  readonly cache: number
  /** `own`: exclusively this pod's; `others`: exclusively another pod's; `reserved`: for the system; `shared`: the shared pool. */
  readonly use: 'own' | 'others' | 'reserved' | 'shared'
}

/** In bytes. The reserved part of `memory` includes huge pages. */
export interface ReportedMemory {
  readonly type: string
  readonly total: number
  readonly reserved: number
  readonly own: number
  readonly others: number
}

/** Devices of one resource on one NUMA node. */
export interface ReportedDevices {
  readonly resource: string
  /** Bounded: not all if there are very many. */
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
  /** `own`: this pod's; `others`: another pod's; `free`: allocated to no pod. */
  readonly use: 'own' | 'others' | 'free'
  /** False: its plugin reports so, or has disconnected. */
  readonly healthy: boolean
}
