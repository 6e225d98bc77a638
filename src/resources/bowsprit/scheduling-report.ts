import type { KubeObject } from '../../machinery/object.ts'

/** Why a pod is where it is, or is nowhere: `bowsprit.dev/v1 SchedulingReport`. Never stored: made for each request. */
export interface SchedulingReport extends KubeObject {
  readonly pod: ReportedPod
  /** The answer in one sentence. */
  readonly summary: string
  /** The last attempt that the scheduler keeps; absent when there was none, or when so many pods were tried since that it was forgotten. */
  readonly attempt?: ReportedAttempt
  /** The filters and scores of the pod's profile, asked when the report was made. */
  readonly now?: ReportedView
  /**
   * For a pod without a node: single changes after which it would fit, each tried on a copy of what the scheduler knows. The smallest
   * first.
   */
  readonly changes?: readonly ReportedChange[]
}

export interface ReportedPod {
  readonly uid: string
  readonly schedulerName: string
  readonly nodeName?: string
  readonly nominatedNodeName?: string
  readonly schedulingGates?: readonly string[]
}

export interface ReportedAttempt {
  /** RFC 3339. */
  readonly time: string
  /** How many attempts there were, this one included. */
  readonly number: number
  readonly outcome: 'Placed' | 'Unschedulable'
  /** The pod's condition, word for word; of a placed pod what the event says. */
  readonly message: string
  readonly view: ReportedView
  /** Whose leaving was asked for. */
  readonly victims?: readonly string[]
}

/** What the scheduler thinks of the nodes. */
export interface ReportedView {
  /** Nodes that were looked at, and how many of them fitted. */
  readonly nodes: number
  readonly fitting: number
  /** The node that has the pod, or would get it. */
  readonly chosen?: string
  /** How many nodes shared the best total: one of them was drawn. */
  readonly ties?: number
  /** How many nodes were turned down for what. */
  readonly verdicts: readonly (ReportedVerdict & { readonly nodes: number })[]
  /** Node by node: those that fitted by their totals, then the others by name; at most as many as docs/limits.md says. */
  readonly list: readonly ReportedNode[]
  /** Nodes that are counted above and not listed. */
  readonly unlisted: number
  /** Extenders and plugins elsewhere that were not asked again. */
  readonly notAsked?: readonly string[]
}

export interface ReportedVerdict {
  readonly plugin: string
  readonly reasons: readonly string[]
  /** Whether other pods' leaving could help. */
  readonly resolvable: boolean
}

export interface ReportedNode {
  readonly name: string
  readonly fits: boolean
  /** Every plugin that turns the node down; of an attempt the first one, which ended the search. */
  readonly verdicts?: readonly ReportedVerdict[]
  /** Each plugin's score times its weight. */
  readonly scores?: readonly { readonly plugin: string; readonly score: number }[]
  readonly total?: number
}

export type ChangeKind =
  | 'LiftGates'
  | 'FreeResources'
  | 'Uncordon'
  | 'RemoveTaint'
  | 'AddLabel'
  | 'RemovePod'
  | 'AddPod'
  | 'AddDevice'
  | 'EnlargeNode'
  | 'AddNode'

export interface ReportedChange {
  readonly kind: ChangeKind
  readonly node?: string
  /** What to do, in words: `free 500m of cpu on node node-1`. */
  readonly message: string
  /** A command that does it, where there is one. */
  readonly command?: string
}
