import type { KubeObject } from '../../machinery/object.ts'

/**
 * `bowsprit/scheduler-plugin`: what a plugin of the scheduler exports as its default, written in TypeScript or JavaScript and named in the configuration:
 *
 * ```yaml
 * profiles:
 * - plugins: { multiPoint: { enabled: [{ name: DonglePacking, weight: 5 }] } }
 *   pluginConfig: [{ name: DonglePacking, args: { module: ./dongle-packing.ts } }]
 * ```
 *
 * It runs in a thread of its own. Every call has a time limit (`args.timeout`, default 1s); a plugin that fails, or does not answer in time, fails the attempt to place that pod,
 * under its own name, and nothing else. When the file changes, it is loaded anew.
 */
export interface SchedulerPlugin {
  /** Filter: why the pod may not go to the node, or undefined when it may. */
  filter?(pod: KubeObject, node: PluginNode, tools: PluginTools): Verdict | Promise<Verdict>
  /** Score: from 0 to 100 when there is no `normalizeScores`, any number else. */
  score?(pod: KubeObject, node: PluginNode, tools: PluginTools): number | Promise<number>
  /** NormalizeScore: changes the scores, by node, in place, to numbers from 0 to 100. */
  normalizeScores?(pod: KubeObject, scores: Map<string, number>, tools: PluginTools): void | Promise<void>
  /** Reserve: the node was chosen. Text turns the pod down. */
  reserve?(pod: KubeObject, node: string, tools: PluginTools): Verdict | Promise<Verdict>
  /** Unreserve: the pod does not get there after all. */
  unreserve?(pod: KubeObject, node: string, tools: PluginTools): void | Promise<void>
  /** Permit: lets the pod go on, turns it down, or makes it wait; may allow or reject others that wait. */
  permit?(pod: KubeObject, node: string, waiting: readonly WaitingPod[], tools: PluginTools): Permit | Promise<Permit>
  /** PreBind: a rejection gives the node back. */
  preBind?(pod: KubeObject, node: string, tools: PluginTools): void | Promise<void>
  /** PostBind: for information. */
  postBind?(pod: KubeObject, node: string, tools: PluginTools): void | Promise<void>
}

/** Undefined: yes. Text: not now, but other pods' leaving might help. An object says more. */
export type Verdict = string | undefined | { readonly reason: string; readonly unresolvable?: boolean }

/** A node as it is now, with the pods that are on it or on their way there. */
export interface PluginNode {
  readonly name: string
  readonly node: KubeObject
  readonly pods: readonly KubeObject[]
}

/** A pod of this plugin's that has its node and waits for permission. */
export interface WaitingPod {
  readonly pod: KubeObject
  readonly node: string
}

/** What a plugin says of a pod that has its node: nothing lets it go on. */
export interface Permit {
  /** Turns the pod down. */
  readonly reject?: string
  /** Makes the pod wait, at most so long, in milliseconds. */
  readonly waitMs?: number
  /** The uids of waiting pods that may go on. */
  readonly allow?: readonly string[]
  /** The uids of waiting pods that are turned down. */
  readonly rejectOthers?: readonly string[]
}

/** What a plugin is given beside what it is asked. */
export interface PluginTools {
  /** The plugin's arguments from the configuration. */
  readonly args: Readonly<Record<string, unknown>>
}
