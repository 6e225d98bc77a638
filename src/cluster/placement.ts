import { systemClock } from '../base/clock.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { areProcesses, isProcessImage } from '../node/programs/processes/process-image.ts'
import type { InnerClusterDeps } from './cluster.ts'
import type { Part } from './cluster-options.ts'
import { type ClusterConfig, ConfigError } from './config.ts'
import { ADMIN, CONTROLLER_MANAGER, SCHEDULER } from './users.ts'

/** A part that is a client of the API server, and can live in a thread of its own. */
export type ClientPart = Exclude<Part, 'server'>

/** The thread of each part, by name; undefined: the API server's own. */
export type Placement = Readonly<Record<ClientPart, string | undefined>>

const ONE_THREAD: Placement = { controllers: undefined, scheduler: undefined, nodes: undefined }

/**
 * All control loops share a thread: the API server sends each collection that several of them watch once, and it is decoded and kept once.
 * A second thread costs 14 MB and more of the API server's time, whose thread is the busiest (`docs/performance.md`).
 */
const THREADS: Placement = { controllers: 'loops', scheduler: 'loops', nodes: 'loops' }

export const placementOf = ({ threads }: ClusterConfig): Placement => (threads ? THREADS : ONE_THREAD)

/** The threads of some parts, each with its parts. */
export function threadsOf(placement: Placement, parts: readonly ClientPart[]): ReadonlyMap<string, readonly ClientPart[]> {
  const threads = new Map<string, readonly ClientPart[]>()
  for (const part of parts) {
    const thread = placement[part]
    if (thread !== undefined) threads.set(thread, [...(threads.get(thread) ?? []), part])
  }
  return threads
}

/** The user as whom the informers that these parts share read: of their users the one who may read most. */
export function readerOf(parts: readonly ClientPart[]): UserInfo {
  if (parts.includes('controllers')) return CONTROLLER_MANAGER
  return parts.includes('nodes') ? ADMIN : SCHEDULER
}

/**
 * Refuses options that cannot be passed to another thread. `streams`, `connectors`, `services`, `server` and `log` are allowed: they stay
 * with the API server, or are reached through it.
 * @throws {ConfigError}
 */
export function checkThreads(options: { readonly images?: unknown; readonly threads?: boolean }, deps: InnerClusterDeps): void {
  if (options.threads !== true) return
  const refuse = (what: string, why: string): never => {
    throw new ConfigError(`threads: ${what} cannot be used with threads: ${why}`)
  }
  if (deps.clock !== undefined && deps.clock !== systemClock) refuse('a clock', 'time in other threads is the machine’s')
  if (deps.random !== undefined) refuse('random', 'each thread draws numbers of its own')
  if (deps.script !== undefined) refuse('a script', 'functions do not cross between threads')
  const { images } = options
  if (typeof images === 'object' && images !== null && !areProcesses(images))
    refuse('images as functions', 'name the module that exports them')
}

/** Refuses processes of this machine where time is not the machine's. @throws {ConfigError} */
export function checkProcesses(images: object, { clock = systemClock }: InnerClusterDeps): void {
  if (clock !== systemClock && Object.values(images).some(isProcessImage))
    throw new ConfigError('images: a "command" runs in real time: it cannot be used with a clock')
}
