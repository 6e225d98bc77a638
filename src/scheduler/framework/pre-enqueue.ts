import { messageOf } from '../../base/message-of.ts'
import type { Later } from '../../base/steps.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Plugin } from './plugin.ts'
import type { PluginContext } from './prepared.ts'

/** The plugin that keeps a pod out of the active queue. */
export interface Gate {
  readonly plugin: string
  /** The message of the pod's condition. */
  readonly message: string
  /** The plugin failed; it is called again after a while. */
  readonly failed?: true
}

/**
 * PreEnqueue: finds the first plugin that keeps the pod out of the queue. Returns a promise only when a plugin is asynchronous. A plugin
 * that fails keeps the pod out.
 */
export function runPreEnqueue(plugins: readonly Plugin[], info: PodInfo, context: PluginContext): Later<Gate | undefined> {
  for (const [i, plugin] of plugins.entries()) {
    const message = plugin.preEnqueue?.(info, context)
    if (typeof message === 'string') return { plugin: plugin.name, message }
    if (message instanceof Promise) {
      return message.then(
        (late) => (late === undefined ? runPreEnqueue(plugins.slice(i + 1), info, context) : { plugin: plugin.name, message: late }),
        (error) => ({ plugin: plugin.name, message: messageOf(error), failed: true }),
      )
    }
  }
  return undefined
}
