import { messageOf } from '../../base/message-of.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Gate } from '../queue/scheduling-queue.ts'
import type { Plugin } from './plugin.ts'
import type { PluginContext } from './prepared.ts'

/** PreEnqueue: the first plugin that keeps the pod out of the queue. A promise only from the first plugin on that takes time; one that fails keeps the pod out. */
export function askGates(plugins: readonly Plugin[], info: PodInfo, context: PluginContext): Gate | undefined | Promise<Gate | undefined> {
  for (const [i, plugin] of plugins.entries()) {
    const message = plugin.preEnqueue?.(info, context)
    if (typeof message === 'string') return { plugin: plugin.name, message }
    if (message instanceof Promise) {
      return message.then(
        (late) => (late === undefined ? askGates(plugins.slice(i + 1), info, context) : { plugin: plugin.name, message: late }),
        (error) => ({ plugin: plugin.name, message: messageOf(error), failed: true }),
      )
    }
  }
  return undefined
}
