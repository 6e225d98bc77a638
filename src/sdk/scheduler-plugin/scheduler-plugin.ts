import type { KubeObject } from '../../machinery/object.ts'
import type { Node, Pod } from '../../resources/types/core.ts'

/**
 * `bowsprit/scheduler-plugin`: the default export of a plugin of the scheduler, a TypeScript or JavaScript module named in the
 * configuration:
 *
 * ```yaml
 * profiles:
 * - plugins: { multiPoint: { enabled: [{ name: DonglePacking, weight: 5 }] } }
 *   pluginConfig: [{ name: DonglePacking, args: { module: ./dongle-packing.ts } }]
 * ```
 *
 * It runs in a thread of its own. Every call has a time limit (`args.timeout`, default 1s). A plugin that fails, or does not return in
 * time, fails the attempt to schedule that pod, under its own name, and nothing else. When the file changes, it is loaded again.
 */
export interface SchedulerPlugin {
  /** PreEnqueue: why the pod may not be tried yet, or undefined. Called again when the pod changes, or at one of the events of `hints`. */
  preEnqueue?(pod: Pod, tools: PluginTools): string | undefined | Promise<string | undefined>
  /**
   * QueueSort as a sort key, the smallest first: lists item by item, numbers before texts; equal keys by priority and age. A key rather
   * than a comparison, so that a slow plugin cannot hold up the queue. Used only where the configuration names the plugin at `queueSort`,
   * in all profiles.
   */
  sortKey?(pod: Pod, tools: PluginTools): SortKey | Promise<SortKey>
  /** PreFilter: called once, before `filter`. Undefined: no result. */
  preFilter?(pod: Pod, nodes: readonly PluginNode[], tools: PluginTools): PreFilterResult | Promise<PreFilterResult>
  /**
   * AddPod of PreFilter: while victims are searched, `other` is put (back) on the node. Update `tools.state`; `filter` is called again with
   * the node as it then is.
   */
  addPod?(pod: Pod, other: Pod, node: PluginNode, tools: PluginTools): void | Promise<void>
  /** RemovePod of PreFilter: `other` is removed from the node on trial. */
  removePod?(pod: Pod, other: Pod, node: PluginNode, tools: PluginTools): void | Promise<void>
  /** Filter: why the pod may not go to the node, or undefined when it may. */
  filter?(pod: Pod, node: PluginNode, tools: PluginTools): Verdict | Promise<Verdict>
  /** PostFilter: the pod fits nowhere. Undefined leaves it to the next plugin; preemption is the last unless configured otherwise. */
  postFilter?(pod: Pod, nodes: readonly FailedNode[], tools: PluginTools): PostFilterResult | Promise<PostFilterResult>
  /** PreScore: called once, before `score`, with the nodes that fit; its result is `tools.state` there. */
  preScore?(pod: Pod, nodes: readonly PluginNode[], tools: PluginTools): unknown
  /** Score: from 0 to 100 when there is no `normalizeScores`, any number else. */
  score?(pod: Pod, node: PluginNode, tools: PluginTools): number | Promise<number>
  /** NormalizeScore: scales the scores, by node, in place, to numbers from 0 to 100. */
  normalizeScores?(pod: Pod, scores: Map<string, number>, tools: PluginTools): void | Promise<void>
  /** Reserve: the node was chosen. Text turns the pod down. */
  reserve?(pod: Pod, node: string, tools: PluginTools): Verdict | Promise<Verdict>
  /** Unreserve: the pod does not get there after all. */
  unreserve?(pod: Pod, node: string, tools: PluginTools): void | Promise<void>
  /** Permit: allows the pod, rejects it, or makes it wait; may allow or reject others that wait. */
  permit?(pod: Pod, node: string, waiting: readonly WaitingPod[], tools: PluginTools): Permit | Promise<Permit>
  /** PreBind: a rejection gives the node back. */
  preBind?(pod: Pod, node: string, tools: PluginTools): void | Promise<void>
  /** Bind: true when the plugin has bound the pod itself; false leaves it to the next. */
  bind?(pod: Pod, node: string, tools: PluginTools): boolean | Promise<boolean>
  /** PostBind: for information. */
  postBind?(pod: Pod, node: string, tools: PluginTools): void | Promise<void>
  /** EnqueueExtensions with queueing hints, by event. A plugin without them has its pods tried again at any event. */
  readonly hints?: Readonly<Partial<Record<EventName, QueueingHint>>>
}

/** What pods are sorted by. */
export type SortKey = number | string | readonly (number | string)[]

/** The result of PreFilter. */
export type PreFilterResult =
  | undefined
  | {
      /** The pod fits nowhere, whatever the nodes. */
      readonly reject?: string
      /** The only nodes that can do. */
      readonly nodes?: readonly string[]
      /** What `filter`, `addPod` and `removePod` find in `tools.state`. */
      readonly state?: unknown
    }

/** A node on which a pod does not fit, and why. */
export interface FailedNode extends PluginNode {
  readonly plugin: string
  readonly reasons: readonly string[]
}

/** The result of PostFilter: a node nominated for the pod, from which the victims (uids) are evicted; or a text for the pod's condition. */
export type PostFilterResult = undefined | { readonly node: string; readonly victims?: readonly string[] } | { readonly message: string }

/** EnqueueExtensions: what may let in a pod that this plugin turned down. */
export type EventName =
  | 'node-added'
  | 'node-updated'
  | 'node-deleted'
  /** A pod of a PodGroup was created. */
  | 'pod-added'
  | 'pod-assigned'
  | 'assigned-pod-updated'
  | 'assigned-pod-deleted'
  /** The waiting pod itself was changed. */
  | 'pod-updated'
  /** Another object that the scheduler watches: `changed/resourceclaims`. */
  | `changed/${string}`

/** An event as a queueing hint sees it. */
export interface PluginEvent {
  readonly name: EventName
  readonly node?: Node
  readonly oldNode?: Node
  readonly pod?: Pod
  readonly oldPod?: Pod
  readonly object?: KubeObject
}

/** A queueing hint: whether the event may let the pod in. `true` is for any such event. */
export type QueueingHint = true | ((pod: Pod, event: PluginEvent, tools: PluginTools) => boolean | Promise<boolean>)

/** Undefined accepts. A text rejects; the removal of other pods might help. An object can exclude that. */
export type Verdict = string | undefined | { readonly reason: string; readonly unresolvable?: boolean }

/** A node as it is now, with the pods that are on it or on their way there. */
export interface PluginNode {
  readonly name: string
  readonly node: Node
  readonly pods: readonly Pod[]
}

/** A pod of this plugin's that has its node and waits for permission. */
export interface WaitingPod {
  readonly pod: Pod
  readonly node: string
}

/** The result of Permit. An empty object lets the pod continue. */
export interface Permit {
  /** Turns the pod down. */
  readonly reject?: string
  /** Makes the pod wait, at most so long, in milliseconds. */
  readonly waitMs?: number
  /** The uids of waiting pods that are allowed. */
  readonly allow?: readonly string[]
  /** The uids of waiting pods that are turned down. */
  readonly rejectOthers?: readonly string[]
}

/** The last argument of each call. */
export interface PluginTools {
  /** The plugin's arguments from the configuration. */
  readonly args: Readonly<Record<string, unknown>>
  /** What `preFilter` or `preScore` has left for the calls that follow it. */
  readonly state?: unknown
}
