import type { PodInfo } from '../cache/pod-info.ts'
import type { Diagnosis } from './fit-error.ts'
import type { Verdict } from './verdict.ts'

/** What came of one attempt to place a pod, with why. */
export type Decision =
  | {
      readonly kind: 'placed'
      readonly node: string
      readonly row: number
      /** How many nodes fitted, and how many of them shared the best score. */
      readonly feasible: number
      readonly ties: number
      readonly explain: Explanation
    }
  | {
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

/** The verdict per node and plugin, and the scores, as data. Looked at only when somebody asks; made then from what was kept. */
export interface Explanation {
  /** Node → what turned it down; nodes that fitted are absent. */
  verdicts(): ReadonlyMap<string, Verdict>
  /** Node → plugin → weighted score, and `total`; empty when nothing was scored. */
  scores(): ReadonlyMap<string, Readonly<Record<string, number>>>
}
