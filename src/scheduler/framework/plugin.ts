import type { KubeObject } from '../../machinery/object.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { NodeTable } from '../cache/node-table.ts'
import type { NamespaceLabels } from '../cache/pod-counters.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { ClusterEvent, EventKind } from '../queue/cluster-event.ts'
import type { Verdict } from './verdict.ts'

/** What plugins may read beside the node table. */
export interface Listers {
  /** All objects of a resource that the scheduler watches, in one namespace (`''`: all, or cluster scope). */
  list(resource: string, namespace: string): readonly Readonly<KubeObject>[]
  get(resource: string, namespace: string, name: string): Readonly<KubeObject> | undefined
  readonly namespaceLabels: NamespaceLabels
}

export interface PluginContext {
  readonly table: NodeTable
  readonly listers: Listers
}

/** A filter made ready for one pod (or one shape). Nothing at all when it would pass every node. */
export interface PreparedFilter {
  /** The pod fits nowhere, whatever the nodes. */
  readonly refuse?: Verdict
  /** Only these nodes can do; the others are not looked at. */
  readonly nodes?: ReadonlySet<string>
  /** Why the node of a row is turned down. Called for rows with a living node only. */
  readonly check?: (row: number) => Verdict | undefined
}

/** A score made ready for one pod (or one shape). */
export interface PreparedScore {
  /** 0 to 100, or any number when it is normalized. */
  of(row: number): number
  /** Every node scores 0: nothing to add up, though the plugin takes part. */
  readonly nothing?: boolean
  /** `highest`: stretched so that the highest is 100. `lowest`: the same, turned round. A function changes the scores of `rows` in place. */
  readonly normalize?: 'highest' | 'lowest' | ((scores: Float64Array, rows: Int32Array) => void)
}

/**
 * What a plugin can look at. `node`: the pod's shape and the one node only, so verdicts and scores are kept until that node changes.
 * `cluster`: other nodes and pods too, so it is asked for every pod.
 */
export type Scope = 'node' | 'cluster'

/** A plugin of the scheduling framework: any of its parts may be absent. */
export interface Plugin {
  readonly name: string
  readonly scope: Scope
  /** For scope `node`: changes when kept results no longer hold although no row changed. */
  readonly epoch?: (context: PluginContext) => number
  /** Keeps a pod out of the active queue: the message of its condition, or undefined. */
  readonly preEnqueue?: (pod: PodInfo) => string | undefined
  readonly filter?: (pod: PodInfo, context: PluginContext) => PreparedFilter | undefined
  /** `rows` gives the nodes that fit; for scope `node` there are none yet. Undefined skips the plugin for this pod. */
  readonly score?: (pod: PodInfo, context: PluginContext, rows: () => Int32Array) => PreparedScore | undefined
  /** Runs when a pod fits nowhere; its text ends up in the message. */
  readonly postFilter?: (attempt: FailedAttempt) => PostFilterResult
  /** Done after the node was chosen and before the pod is bound to it; a failure gives the node back. */
  readonly preBind?: (pod: PodInfo, node: string, deps: PreBindDeps) => Promise<void>
  /** Which events may make a pod that this plugin refused schedulable, and for which pods they do. */
  readonly hints?: Partial<Readonly<Record<EventKind, (pod: PodInfo, event: ClusterEvent, context: PluginContext) => boolean>>>
}

/** What a plugin may do before binding. */
export interface PreBindDeps {
  readonly client: Client
  readonly listers: Listers
  /** Resolves when the check holds, which is tried at every change of a watched object; rejects after the time. */
  until(check: () => boolean, timeoutMs: number, what: string): Promise<void>
}

/** What a post-filter sees of a failed attempt. */
export interface FailedAttempt {
  readonly pod: PodInfo
  readonly context: PluginContext
  /** Rows by what turned them down; absent for nodes that were not looked at. */
  readonly verdictOf: (row: number) => Verdict | undefined
  /** Whether the pod was refused before any node was looked at. */
  readonly refused: boolean
  /** Runs all filters for the pod against one node as the table stands now. */
  readonly fits: (row: number) => Verdict | undefined
}

export type PostFilterResult =
  | { readonly kind: 'nominated'; readonly node: string; readonly victims: readonly PodInfo[] }
  /** `clears`: an earlier nomination of the pod no longer holds. */
  | { readonly kind: 'failed'; readonly message: string; readonly clears?: boolean }

export type PluginFactory = (args: Readonly<Record<string, unknown>>, context: PluginFactoryContext) => Plugin

export interface PluginFactoryContext {
  readonly random: { int(below: number): number }
}
