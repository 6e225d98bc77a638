import type { ObjectName } from './object-name.ts'

/** What a controller does. */
export interface ControllerPage {
  readonly component: string
  readonly counts: Readonly<Record<'workers' | 'working' | 'waiting' | 'delayed' | 'failing' | 'reconciled' | 'failed', number>>
  readonly keys: readonly ControllerKey[]
  /** The latest first. */
  readonly recent: readonly Reconciled[]
}

export interface ControllerKey {
  readonly key: string
  readonly state: 'working' | 'waiting' | 'delayed'
  /** 0: it is not delayed. */
  readonly untilMs: number
  readonly failures: number
  readonly error: string
}

/** A reconciliation: the event that led to it, what it wrote, and how it ended. */
export interface Reconciled {
  readonly key: string
  readonly timeMs: number
  /** Null while it runs. */
  readonly tookMs: number | null
  readonly error: string
  /** Null: it came by time, or after a failure. `request` is `''` if it is not recorded. */
  readonly cause: { readonly request: string; readonly revision: string } | null
  /** What was decided, of operators: `apply ConfigMap shop/settings`. */
  readonly plan: readonly PlanLine[]
  readonly writes: readonly ControllerWrite[]
  readonly unlisted: number
}

export interface PlanLine {
  readonly what: string
  /** Nothing is written for it. */
  readonly calm: boolean
}

export interface ControllerWrite {
  readonly what: string
  readonly object: ObjectName | null
  readonly error: string
}
