import type { SearchHistory } from '../history.ts'
import type { ForkPoint } from '../run/record-workload.ts'

/** A fault at one point of an undisturbed run. */
export type PlannedFault = CrashFault | StaleFault | HeldFault | WriteFault

/** The operator is killed before or after a write, and started again. */
export interface CrashFault {
  readonly kind: 'crash'
  readonly at: ForkPoint
  /** The step in which it happens. */
  readonly step: number
  readonly what: string
  /** Faults of the same cause have the same text, in whatever workload they are. */
  readonly cause: string
  /** What happened between a first crash and this one, which began where the undisturbed run was at `at.changes`. */
  readonly earlier?: SearchHistory
}

/** When all is at rest after a step, the operator is restarted on the view of the past, which catches up later. */
export interface StaleFault {
  readonly kind: 'stale'
  readonly at: ForkPoint
  readonly step: number
  readonly revision: string
  /** `GROUP/RESOURCE` of what is read from the past; undefined: everything. */
  readonly resources?: ReadonlySet<string>
  readonly what: string
  readonly cause: string
}

/** The events of a resource are held back from the beginning of a step, or from the operator's first write of that resource on. */
export interface HeldFault {
  /** `unobserved`: until the next step has undone this one. `order`: until everything else is at rest. */
  readonly kind: 'unobserved' | 'order'
  /** The rest before the step. */
  readonly at: ForkPoint
  readonly step: number
  /** `GROUP/RESOURCE` */
  readonly resource: string
  /** Whether the next step follows at once, without rest. */
  readonly atOnce?: boolean
  /** Whether the operator's first write of the resource is waited for: it does not see what it has written itself. */
  readonly fromWrite?: boolean
  /**
   * The events pass again just before this write, which waits for them: so many writes of the operator have come before it since they were
   * held back. Absent: they pass again when everything else is at rest.
   */
  readonly untilWrite?: number
  readonly what: string
  readonly cause: string
}

/** One write of a step does not succeed at once. */
export interface WriteFault {
  /**
   * `conflict`: another client changes the object just before it. `error`: the API server fails, and does not carry it out. `late`: it
   * arrives only after the next step.
   */
  readonly kind: 'conflict' | 'error' | 'late'
  /** The rest before the step. */
  readonly at: ForkPoint
  readonly step: number
  /** The write as a text, and how many of the same text come before it in the step. */
  readonly write: string
  readonly after: number
  readonly what: string
  readonly cause: string
}

/** The faults worth trying in a workload, and how many points there were. */
export interface FaultPlan {
  readonly faults: readonly PlannedFault[]
  readonly points: number
}
