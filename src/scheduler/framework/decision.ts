import type { PodInfo } from '../cache/pod-info.ts'
import type { Explanation } from './explanation.ts'
import type { Diagnosis } from './fit-error.ts'

/** The result of one attempt to schedule a pod, with its reasons. All of it is data. */
export type Decision = Placed | Unschedulable

export interface Placed {
  readonly kind: 'placed'
  readonly node: string
  readonly row: number
  /** How many nodes fitted, and how many of them shared the best score. */
  readonly feasible: number
  readonly ties: number
  readonly explain: Explanation
}

export interface Unschedulable {
  readonly kind: 'unschedulable'
  readonly message: string
  readonly diagnosis: Diagnosis
  /** The plugins whose verdicts kept the pod out: their events may wake it. */
  readonly plugins: ReadonlySet<string>
  readonly nominated: { readonly node: string; readonly victims: readonly PodInfo[] } | undefined
  /** An earlier nomination of the pod no longer holds. */
  readonly clearsNomination: boolean
  readonly explain: Explanation
}
