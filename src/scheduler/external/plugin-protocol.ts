import type { KubeObject } from '../../machinery/object.ts'
import type { PluginNode, WaitingPod } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'

/** What the thread of a plugin is started with. */
export interface PluginWorkerData {
  readonly url: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What a plugin in a thread is asked. */
export type PluginQuestion = { readonly id: number; readonly pod: Readonly<KubeObject> } & PluginCall

export type PluginCall =
  | { readonly point: 'filter' | 'score'; readonly nodes: readonly PluginNode[] }
  | { readonly point: 'permit'; readonly node: string; readonly waiting: readonly WaitingPod[] }
  | { readonly point: 'reserve' | 'unreserve' | 'preBind' | 'postBind'; readonly node: string }

/** Its answer; `id` 0 is the first one, with the names of what the plugin has. */
export type PluginAnswer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string }
