import type { Steps } from '../../base/steps.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { ClusterEvent, EventKey } from './cluster-event.ts'
import type { DryRun } from './dry-run.ts'
import type { ExternalPlugin } from './external-plugin.ts'
import type { Listers } from './listers.ts'
import type { PluginContext, PreparedFilter, PreparedScore } from './prepared.ts'
import type { Verdict } from './verdict.ts'
import type { WaitingPods } from './waiting-pods.ts'

/**
 * What a plugin can look at. `node`: the pod's shape and the one node only, so verdicts and scores are kept until that node changes.
 * `cluster`: other nodes and pods too, so it is asked for every pod.
 */
export type Scope = 'node' | 'cluster'

/** Which events may make a pod that a plugin refused schedulable, and for which pods they do. */
export type Hints = Partial<
  Readonly<Record<EventKey, (pod: PodInfo, event: ClusterEvent, context: PluginContext) => boolean | Promise<boolean>>>
>

/**
 * A plugin of the scheduling framework: any of its parts may be absent. In the order in which a pod meets them. All are synchronous but those that
 * say otherwise; a filter or score in another process or thread is an `external` plugin.
 */
export interface Plugin {
  readonly name: string
  readonly scope: Scope
  /** For scope `node`: changes when kept results no longer hold although no row changed. */
  readonly epoch?: (context: PluginContext) => number
  /** PreEnqueue. Keeps a pod out of the active queue: the message of its condition, or undefined. */
  readonly preEnqueue?: (pod: PodInfo, context: PluginContext) => string | undefined | Promise<string | undefined>
  /** Makes the pod ready to be sorted, before it enters the queue; undefined when it is. */
  readonly prepareSort?: (pod: PodInfo) => Promise<void> | undefined
  /** QueueSort. Whether `a` is tried before `b`. One plugin for all profiles. */
  readonly queueSort?: (a: Queued, b: Queued) => boolean
  /**
   * What Filter needs to know of nodes and takes long to find out, in steps, between which others have their turns of the event loop; undefined when there
   * is nothing to do. Filter is asked right after, in the same turn: it must find what is missing by then, and in little time. `rows` gives the nodes that
   * the pod may fit on, as far as one knows at that moment.
   */
  readonly prepare?: (pod: PodInfo, context: PluginContext, rows: () => Iterable<number>) => Steps<void> | undefined
  /**
   * PreFilter, and in what it gives Filter, AddPod and RemovePod. Undefined passes every node. `onTrial`: pods will come and go after this was made ready, so
   * that undefined means that none of them could matter.
   */
  readonly filter?: (pod: PodInfo, context: PluginContext, onTrial?: boolean) => PreparedFilter | undefined
  /** PostFilter. Runs when a pod fits nowhere; its text ends up in the message. */
  readonly postFilter?: (attempt: FailedAttempt) => PostFilterResult | undefined | Promise<PostFilterResult | undefined>
  /** PreScore, and in what it gives Score and NormalizeScore. `rows` gives the nodes that fit; for scope `node` there are none yet. Undefined skips the plugin for this pod. */
  readonly score?: (pod: PodInfo, context: PluginContext, rows: () => Int32Array) => PreparedScore | undefined
  /** Filter and Score in another process or thread: asked after all synchronous filters, about the nodes that are left. */
  readonly external?: ExternalPlugin
  /** Reserve and Unreserve. The node was chosen; what is taken here is given back by `undo`, which is awaited, when the pod does not get there after all. */
  readonly reserve?: (pod: PodInfo, node: string, context: PluginContext) => Reservation | undefined | Promise<Reservation | undefined>
  /** Permit. Lets the pod go on (undefined), turns it down, or makes it wait until somebody allows or rejects it. */
  readonly permit?: (pod: PodInfo, node: string, deps: PermitDeps) => Permission | Promise<Permission>
  /** PreBind. Done after the node was chosen and before the pod is bound to it; a failure gives the node back. Undefined: there is nothing to do for this pod. */
  readonly preBind?: (pod: PodInfo, node: string, deps: PreBindDeps) => Promise<void> | undefined
  /** Bind. Undefined leaves it to the next plugin. */
  readonly bind?: (pod: PodInfo, node: string, deps: BindDeps) => Promise<void> | undefined
  /** PostBind. For information. */
  readonly postBind?: (pod: PodInfo, node: string) => void
  /** EnqueueExtensions, with queueing hints. */
  readonly hints?: Hints | undefined
  /** Takes part in QueueSort only where a configuration names it there, though it is enabled at every point. */
  readonly sortsWhenNamed?: true
}

/** What a queue is sorted by. */
export interface Queued {
  readonly info: PodInfo
  /** Milliseconds since the epoch: when the pod last entered the queue or failed. */
  readonly since: number
  readonly serial: number
}

export type Reservation = { readonly refuse: Verdict } | { readonly undo: () => unknown }

export type Permission = { readonly refuse: Verdict } | { readonly waitMs: number } | undefined

export interface PermitDeps {
  readonly context: PluginContext
  /** The pods that wait, this one not yet among them. */
  readonly waitingPods: WaitingPods
}

/** What a plugin may do before binding. */
export interface PreBindDeps {
  readonly client: Client
  readonly listers: Listers
  /** Milliseconds since the epoch. */
  now(): number
  /** Tells of the pod what takes its time. */
  record(event: { readonly reason: string; readonly message: string }): void
  /** Resolves when the check holds, which is tried at every change of a watched object; rejects after the time. */
  until(check: () => boolean, timeoutMs: number, what: string): Promise<void>
}

export interface BindDeps {
  readonly client: Client
}

/** What a post-filter sees of a failed attempt. */
export interface FailedAttempt {
  readonly pod: PodInfo
  readonly context: PluginContext
  /** Rows by what turned them down; absent for nodes that were not looked at. */
  readonly verdictOf: (row: number) => Verdict | undefined
  /** The plugin that refused the pod before any node was looked at. */
  readonly refusedBy: string | undefined
  /** Runs all filters for the pod against one node, with pods put there or taken away on trial. */
  readonly dryRun: DryRun
  /** Those that have a say about who goes; most often none. */
  readonly external: readonly ExternalPlugin[]
}

export type PostFilterResult =
  | { readonly kind: 'nominated'; readonly node: string; readonly victims: readonly PodInfo[] }
  /** `clears`: an earlier nomination of the pod no longer holds. */
  | { readonly kind: 'failed'; readonly message: string; readonly clears?: boolean }
  /** Ends the line: what others said before is not told, and nobody else is asked. */
  | { readonly kind: 'error'; readonly message: string }

export type PluginFactory = (args: Readonly<Record<string, unknown>>, context: PluginFactoryContext) => Plugin

export interface PluginFactoryContext {
  readonly random: { int(below: number): number; uuid(): string }
  /** Absent where nothing is written: when a configuration is only checked. */
  readonly client?: Client
}
