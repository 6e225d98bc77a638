import type { PodInfo } from '../cache/pod-info.ts'
import type { ExtensionPointTimes } from './extension-point-times.ts'
import type { NodeSample } from './node-sample.ts'

/** What a decision depends on beside the pod and the table. */
export interface DecideOptions {
  readonly random: { int(below: number): number }
  /** Pods that are to come to a node once their victims have gone; they count there for pods that are not more important. */
  readonly nominatedOn: (row: number, pod: PodInfo) => readonly PodInfo[]
  readonly hasNominations: () => boolean
  /** Ends the search when enough nodes fit; undefined, all nodes are always looked at. */
  readonly sample?: NodeSample
  /** Keep every node's score by plugin. Costs a pass over all nodes for each pod. */
  readonly keepScores: boolean
  /** Where the times of extension points are counted; undefined: nowhere. */
  readonly times?: ExtensionPointTimes | undefined
}
