import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import type { Permit, Verdict as SaidVerdict } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import type { NodeTable } from '../cache/node-table.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { CompleteConfiguration } from '../config/complete.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import type { Permission, Plugin, PluginFactory } from '../framework/plugin.ts'
import { unschedulable } from '../framework/verdict.ts'
import { externalPoints, externalPostFilter, verdictOf } from './external-points.ts'
import { externalQueue } from './external-queue.ts'
import { PluginThread } from './plugin-thread.ts'

const DEFAULT_TIMEOUT_MS = 1000

export interface ModulePluginDeps {
  readonly clock: Clock
  readonly log: Logger
  /** What victims are looked for in. */
  readonly table: NodeTable
  /** Relative paths of modules begin here. */
  readonly folder: string
}

export interface ModulePlugins {
  /** By name, as profiles take them. */
  readonly factories: Readonly<Record<string, PluginFactory>>
  close(): Promise<void>
}

/** The plugins that a configuration names by a module: `pluginConfig: [{ name, args: { module: ./file.ts, timeout: 1s } }]`. */
export function modulePlugins({ profiles }: CompleteConfiguration, deps: ModulePluginDeps): ModulePlugins {
  const threads: PluginThread[] = []
  const factories: Record<string, PluginFactory> = {}
  for (const { name, args } of profiles.flatMap((p) => p.pluginConfig)) {
    const module = typeof args === 'object' && args !== null && 'module' in args ? args.module : undefined
    if (typeof module !== 'string') continue
    const file = path.resolve(deps.folder, module)
    if (!existsSync(file)) throw new ConfigurationError(`plugin "${name}": its module ${file} is not there`)
    factories[name] = (own) => {
      const { timeout } = own
      const timeoutMs = (typeof timeout === 'string' ? parseGoDuration(timeout) : undefined) || DEFAULT_TIMEOUT_MS
      const thread = new PluginThread({ name, file, args: own, timeoutMs, clock: deps.clock, log: deps.log })
      threads.push(thread)
      return modulePlugin(name, thread, deps)
    }
  }
  return {
    factories,
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

function modulePlugin(name: string, thread: PluginThread, { log, table }: ModulePluginDeps): Plugin {
  const ask = (pod: PodInfo, call: Parameters<PluginThread['ask']>[1]) => thread.ask(pod.pod, call)
  const queue = externalQueue(thread)
  return {
    name,
    scope: 'cluster',
    ...queue,
    // A getter, because spreading would read it only once.
    get hints() {
      return queue.hints
    },
    external: externalPoints(name, thread, table),
    postFilter: (attempt) => (thread.known?.has('postFilter') === false ? undefined : externalPostFilter(thread, attempt)),
    async reserve(pod, node) {
      const parts = await thread.parts()
      if (!parts.has('reserve') && !parts.has('unreserve')) return undefined
      const refuse = verdictOf(name, (await ask(pod, { point: 'reserve', node })) as SaidVerdict)
      if (refuse !== undefined) return { refuse }
      const undo = () => {
        ask(pod, { point: 'unreserve', node }).catch((error) => log.warn('a plugin could not take back a reservation', { error }))
      }
      return { undo }
    },
    async permit(pod, node, { waitingPods }): Promise<Permission> {
      if (!(await thread.parts()).has('permit')) return undefined
      const mine = waitingPods.list().filter((w) => w.pending.has(name))
      const waiting = mine.map((w) => ({ pod: w.info.pod, node: w.node }))
      const said = ((await ask(pod, { point: 'permit', node, waiting })) ?? {}) as Permit
      for (const uid of said.allow ?? []) waitingPods.allow(uid, name)
      for (const uid of said.rejectOthers ?? []) waitingPods.reject(uid, name, said.reject ?? 'rejected')
      if (said.reject !== undefined) return { refuse: unschedulable(name, said.reject) }
      return said.waitMs === undefined ? undefined : { waitMs: said.waitMs }
    },
    preBind: (pod, node) => (thread.known?.has('preBind') ? ask(pod, { point: 'preBind', node }).then(() => {}) : undefined),
    postBind(pod, node) {
      if (thread.known?.has('postBind'))
        ask(pod, { point: 'postBind', node }).catch((error) => log.warn('a plugin failed after a pod was bound', { error }))
    },
  }
}
