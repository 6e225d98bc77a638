import type { Pod } from '../../resources/types/core.ts'
import type { FailedNode, PluginEvent, PluginNode, WaitingPod } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'

/** What the thread of a plugin is started with. */
export interface PluginWorkerData {
  readonly url: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A call of a plugin in a thread. */
export type PluginQuestion = { readonly id: number; readonly pod: Readonly<Pod> } & PluginCall

export type PluginCall =
  | { readonly point: 'preEnqueue' | 'sortKey' }
  | { readonly point: 'hints'; readonly event: PluginEvent; readonly pods: readonly Readonly<Pod>[] }
  | { readonly point: 'victims'; readonly candidates: readonly VictimsQuestion[] }
  | { readonly point: 'postFilter'; readonly nodes: readonly FailedNode[] }
  | { readonly point: 'filter' | 'score'; readonly nodes: readonly PluginNode[] }
  | { readonly point: 'permit'; readonly node: string; readonly waiting: readonly WaitingPod[] }
  | { readonly point: 'reserve' | 'unreserve' | 'preBind' | 'bind' | 'postBind'; readonly node: string }

/** A node on which the pod would fit, as far as the other filters are concerned, if the pods of `required` left it. */
export interface VictimsQuestion {
  readonly node: PluginNode
  /** The uids of all less important pods there, the most important first. */
  readonly lower: readonly string[]
  readonly required: readonly string[]
}

/** What a plugin implements: the names of its methods, and its hints by event: `true` needs no call. */
export interface PluginParts {
  readonly names: readonly string[]
  readonly hints?: Readonly<Record<string, true | 'ask'>>
}

/** The result; `id` 0 is the first one, with the plugin's methods. */
export type PluginResponse = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string }
