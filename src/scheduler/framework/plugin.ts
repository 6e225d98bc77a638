import type { Later, Steps } from '../../base/steps.ts'
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
 * What a plugin reads. `node`: the pod's shape and the one node only, so verdicts and scores are cached until that node changes. `cluster`:
 * other nodes and pods too, so it runs for every pod.
 */
export type Scope = 'node' | 'cluster'

/** Which events may make a pod that a plugin refused schedulable, and for which pods they do. */
export type Hints = Partial<Readonly<Record<EventKey, (pod: PodInfo, event: ClusterEvent, context: PluginContext) => Later<boolean>>>>

/**
 * A plugin of the scheduling framework. Its extension points, all optional, are listed in the order in which a pod meets them. They are
 * synchronous unless documented otherwise; a filter or score in another process or thread is an `external` plugin.
 */
export interface Plugin {
  readonly name: string
  readonly scope: Scope
  /** For scope `node`: changes when kept results no longer hold although no row changed. */
  readonly epoch?: (context: PluginContext) => number
  /** PreEnqueue. Keeps a pod out of the active queue: the message of its condition, or undefined. */
  readonly preEnqueue?: (pod: PodInfo, context: PluginContext) => Later<string | undefined>
  /** Makes the pod ready to be sorted, before it enters the queue; undefined when it is. */
  readonly prepareSort?: (pod: PodInfo) => Promise<void> | undefined
  /** QueueSort. Whether `a` is tried before `b`. One plugin for all profiles. */
  readonly queueSort?: (a: Queued, b: Queued) => boolean
  /**
   * Computes what Filter needs and takes long, as steps between which the event loop turns. Undefined: nothing to compute for this pod.
   * Filter runs in the same turn in which the steps end; what is missing by then it must compute within a few milliseconds. `rows`: the
   * nodes that node-local filters accept at that moment.
   */
  readonly prepare?: (pod: PodInfo, context: PluginContext, rows: () => Iterable<number>) => Steps<void> | undefined
  /**
   * PreFilter; Filter, AddPod and RemovePod are in its result. Undefined accepts every node. `onTrial`: pods will come and go after this
   * call, so undefined means that none of them could matter.
   */
  readonly filter?: (pod: PodInfo, context: PluginContext, onTrial?: boolean) => PreparedFilter | undefined
  /** PostFilter. Runs when a pod fits nowhere; its text ends up in the message. */
  readonly postFilter?: (attempt: FailedAttempt) => Later<PostFilterResult | undefined>
  /**
   * PreScore; Score and NormalizeScore are in its result. `rows`: the nodes that fit, for scope `cluster` only. Undefined skips the plugin
   * for this pod.
   */
  readonly score?: (pod: PodInfo, context: PluginContext, rows: () => Int32Array) => PreparedScore | undefined
  /** Filter and Score in another process or thread: called after all synchronous filters, for the remaining nodes. */
  readonly external?: ExternalPlugin
  /** Reserve and Unreserve: the node was chosen. `undo` is awaited when the pod is not bound after all. */
  readonly reserve?: (pod: PodInfo, node: string, context: PluginContext) => Later<Reservation | undefined>
  /** Permit. Allows the pod (undefined), rejects it, or makes it wait until a plugin allows or rejects it. */
  readonly permit?: (pod: PodInfo, node: string, deps: PermitDeps) => Later<Permission>
  /** PreBind: a failure gives the node back. Undefined: nothing to do for this pod. */
  readonly preBind?: (pod: PodInfo, node: string, deps: PreBindDeps) => Promise<void> | undefined
  /** Bind. Undefined leaves it to the next plugin. */
  readonly bind?: (pod: PodInfo, node: string, deps: BindDeps) => Promise<void> | undefined
  /** PostBind. For information. */
  readonly postBind?: (pod: PodInfo, node: string) => void
  /** EnqueueExtensions, with queueing hints. */
  readonly hints?: Hints | undefined
  /** Used for QueueSort only if a configuration names it there, though it is enabled at every point. */
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
  /** Lets pods that sleep, by key, try again as soon as their back-off allows. */
  readonly activate: (pods: Iterable<string>) => void
}

/** What a plugin may do before binding. */
export interface PreBindDeps {
  readonly client: Client
  readonly listers: Listers
  /** Milliseconds since the epoch. */
  now(): number
  /** Records an event about the pod, for slow steps. */
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
  /** Runs all filters for the pod against one node, with pods added or removed on trial. */
  readonly dryRun: DryRun
  /** External plugins that decide about victims; most often none. */
  readonly external: readonly ExternalPlugin[]
}

export type PostFilterResult =
  | { readonly kind: 'nominated'; readonly node: string; readonly victims: readonly PodInfo[] }
  /** `clears`: an earlier nomination of the pod no longer holds. */
  | { readonly kind: 'failed'; readonly message: string; readonly clears?: boolean }
  /** Ends the post-filters; earlier messages are dropped. */
  | { readonly kind: 'error'; readonly message: string }

export type PluginFactory = (args: Readonly<Record<string, unknown>>, context: PluginFactoryContext) => Plugin

export interface PluginFactoryContext {
  /** The same object for all profiles of a scheduler: the key of what their plugins share. Default: nothing is shared. */
  readonly scheduler?: object
  readonly random: { int(below: number): number; uuid(): string }
  /** Absent where nothing is written: when a configuration is only checked. */
  readonly client?: Client
}
