import type { KubeObject } from '../../machinery/object.ts'

/**
 * What a controller does: `bowsprit.dev/v1 ControllerReport`, under the controller's name. Never stored: those of this cluster are made
 * when asked for, and operators create theirs again and again.
 */
export interface ControllerReport extends KubeObject {
  /** The program that it is part of. */
  readonly component: string
  /** How many keys it works on at once. */
  readonly workers: number
  /** How many keys it works on, wait, come later, and have failed last. */
  readonly working: number
  readonly waiting: number
  readonly delayed: number
  readonly failing: number
  /** Since it was started. */
  readonly reconciled: number
  readonly failed: number
  /** Keys that fail, those that it works on, that wait, and that come later; at most as many as docs/limits.md permits. */
  readonly keys?: readonly ReportedKey[]
  /** The last reconciliations, the latest first. */
  readonly recent?: readonly ReportedReconciliation[]
}

export interface ReportedKey {
  readonly key: string
  /** `delayed`: until `until`. */
  readonly state: 'working' | 'waiting' | 'delayed'
  /** When it is reconciled: RFC 3339. */
  readonly until?: string
  /** How often in a row it has failed, and the last error. */
  readonly failures?: number
  readonly error?: string
}

export interface ReportedReconciliation {
  readonly key: string
  /** When it began: RFC 3339. */
  readonly time: string
  /** Absent while it runs. */
  readonly tookMs?: number
  /** Why the key is tried again; absent: it went well. */
  readonly error?: string
  /** The event for which the key was put in: its resourceVersion, and the request that stored it, where it is recorded. */
  readonly cause?: { readonly revision: string; readonly requestTrail?: string }
  /** What was decided, of controllers that decide before they write. */
  readonly plan?: readonly PlannedStep[]
  readonly writes?: readonly ReportedWrite[]
  /** Steps of the plan and writes beyond those. */
  readonly unlisted?: number
}

/** A step of a plan: an object, and what is to be done about it. */
export interface PlannedStep {
  /** `keep`: nothing, it is as it is to be; `wait`: it is being deleted. */
  readonly step: 'apply' | 'keep' | 'wait' | 'delete' | 'status' | 'again'
  readonly apiVersion?: string
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  /** `again`: after so many milliseconds, even if nothing changes. */
  readonly afterMs?: number
}

export interface ReportedWrite {
  readonly verb: string
  readonly group?: string
  readonly version: string
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  /** Why it was refused. */
  readonly error?: string
}
