import type { KubeObject } from '../../machinery/object.ts'

/** Why a pod is on its node, or on none: `bowsprit.dev/v1 SchedulingReport`. Never stored: computed for each request. */
export interface SchedulingReport extends KubeObject {
  readonly pod: ReportedPod
  /** The result in one sentence. */
  readonly summary: string
  /** The last recorded attempt; absent if there was none, or if too many pods were scheduled since. */
  readonly attempt?: ReportedAttempt
  /** The filters and scores of the pod's profile at the time of the report. */
  readonly now?: ReportedView
  /**
   * For a pod without a node: single changes after which it would fit, each tried on a copy of the scheduler's state. The smallest first.
   */
  readonly changes?: readonly ReportedChange[]
  /** Where no single change is enough: changes that let it in together, each of which is needed. Tried in the same way. */
  readonly together?: readonly ReportedChange[]
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
  /** The number of attempts, including this one. */
  readonly number: number
  readonly outcome: 'Placed' | 'Unschedulable'
  /** The message of the pod's condition; for a scheduled pod that of the event. */
  readonly message: string
  readonly view: ReportedView
  /** The pods to be preempted. */
  readonly victims?: readonly string[]
}

/** The scheduler's view of the nodes. */
export interface ReportedView {
  /** Examined nodes, and how many of them are feasible. */
  readonly nodes: number
  readonly fitting: number
  /** The node of the pod, or the one that it would get. */
  readonly chosen?: string
  /** Number of nodes with the best total: one of them was drawn at random. */
  readonly ties?: number
  /** Number of nodes rejected for each reason. */
  readonly verdicts: readonly (ReportedVerdict & { readonly nodes: number })[]
  /** Feasible nodes by total, then the others by name; at most as many as docs/limits.md permits. */
  readonly list: readonly ReportedNode[]
  /** Nodes that are counted above and not listed. */
  readonly unlisted: number
  /** Extenders and external plugins that were not called again. */
  readonly notAsked?: readonly string[]
}

export interface ReportedVerdict {
  readonly plugin: string
  readonly reasons: readonly string[]
  /** True if preemption could help. */
  readonly resolvable: boolean
}

export interface ReportedNode {
  readonly name: string
  readonly fits: boolean
  /** Every plugin that rejects the node; in an attempt the first one, which ended filtering. */
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
  /** A change in words: `free 500m of cpu on node node-1`. */
  readonly message: string
  /** A command that makes the change, if there is one. */
  readonly command?: string
  /** The same as a request. */
  readonly write?: ChangeWrite
}

/** A merge patch of a node or pod (`v1`); without a patch it is deleted. */
export interface ChangeWrite {
  readonly resource: 'nodes' | 'pods'
  readonly namespace?: string
  readonly name: string
  /** JSON. */
  readonly patch?: string
}
