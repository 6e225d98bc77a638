import { lstatSync, mkdirSync, readdirSync, watch } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { Signal } from '../../base/signal.ts'
import { connectUnix, type GrpcConnection } from '../../sdk/grpc/connect-unix.ts'
import { PLUGIN_REGISTRATION, type PluginInfo } from '../../sdk/node-api/plugin-registration.ts'

/** Handles the plugins of one type that are found in the registry. */
export interface PluginTaker {
  /** Throws if the plugin is refused, before anything is done for it. */
  check?(info: PluginInfo): void
  /** Rejects if the plugin cannot be registered; it gets the message. */
  take(info: PluginInfo & { readonly socket: string }, signal: AbortSignal): Promise<void>
  /** Its socket is gone. */
  leave?(info: PluginInfo): void
}

export interface PluginRegistryDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly folder: string
  /** By type: `DevicePlugin`, `DRAPlugin`, … */
  readonly takers: ReadonlyMap<string, PluginTaker>
}

/** Time limit of a plugin's `GetInfo`, as the kubelet's. */
const INFO_LIMIT_MS = 1000
/** The polling interval, in addition to file system events; shorter with subfolders, for which there are no events. */
const LOOK_MS = 10_000
const LOOK_INSIDE_MS = 1000
/** Retry delay for a plugin that could not be registered. */
const RETRY_MS = 5000
/** The most sockets in one registry; further ones are ignored. */
const MOST_SOCKETS = 256

interface RegistrySocket {
  readonly stamp: string
  info: PluginInfo | undefined
  retryAtMs: number
}

/**
 * Watches `plugins_registry`: calls `GetInfo` on each socket, and registers the plugin with the handler of its type. Ends with the signal.
 */
export async function watchPluginRegistry(deps: PluginRegistryDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, folder } = deps
  const changed = new Signal()
  const found = new Map<string, RegistrySocket>()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const watcher = watch(folder, { persistent: false }, () => changed.raise())
  watcher.on('error', (error) => log.warn(`the folder ${folder} cannot be watched`, { error }))
  try {
    while (!signal.aborted) {
      const { sockets: standing, folders } = look(folder)
      for (const [socket, known] of found) {
        if (standing.get(socket) === known.stamp) continue
        found.delete(socket)
        if (known.info !== undefined) deps.takers.get(known.info.type)?.leave?.(known.info)
      }
      const due = [...standing].filter(([socket]) => {
        const known = found.get(socket)
        return known === undefined || (known.info === undefined && known.retryAtMs <= clock.now())
      })
      await Promise.all(due.map(([socket, stamp]) => meet(deps, found, { socket, stamp }, signal)))
      const refused = [...found.values()].some((f) => f.info === undefined)
      const lookMs = folders ? LOOK_INSIDE_MS : refused ? RETRY_MS : LOOK_MS
      await changed.wait({ clock, untilMs: clock.now() + lookMs, signal })
    }
  } finally {
    watcher.close()
  }
}

/** The sockets with their identities, which distinguish a replaced socket from the old one; and whether there are subfolders. */
function look(folder: string): { readonly sockets: ReadonlyMap<string, string>; readonly folders: boolean } {
  const all = new Map<string, string>()
  let folders = false
  for (const name of safely(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? []) {
    if (path.basename(name).startsWith('.') || all.size >= MOST_SOCKETS) continue
    const socket = path.join(folder, name)
    const stat = safely(() => lstatSync(socket))
    if (stat?.isSocket()) all.set(socket, `${stat.ino} ${stat.ctimeMs}`)
    if (stat?.isDirectory()) folders = true
  }
  return { sockets: all, folders }
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined // it was removed meanwhile
  }
}

async function meet(
  { clock, log, takers }: PluginRegistryDeps,
  found: Map<string, RegistrySocket>,
  { socket, stamp }: { readonly socket: string; readonly stamp: string },
  signal: AbortSignal,
): Promise<void> {
  const entry: RegistrySocket = { stamp, info: undefined, retryAtMs: clock.now() + RETRY_MS }
  found.set(socket, entry)
  const limits = { signal, timeoutMs: INFO_LIMIT_MS }
  let connection: GrpcConnection | undefined
  try {
    connection = await connectUnix(socket, { clock })
    const reported = await connection.call(PLUGIN_REGISTRATION.getInfo, {}, limits)
    const info = { ...reported, endpoint: reported.endpoint === '' ? socket : reported.endpoint }
    const error = await take(takers.get(info.type), { ...info, socket }, signal)
    if (error === undefined) entry.info = info
    await connection.call(
      PLUGIN_REGISTRATION.notifyRegistrationStatus,
      { pluginRegistered: error === undefined, error: error ?? '' },
      limits,
    )
    if (error !== undefined) log.warn(`a plugin was not taken: ${error}`)
  } catch (error) {
    if (!signal.aborted) log.warn(`the plugin at ${socket} cannot be asked who it is`, { error })
  } finally {
    connection?.[Symbol.dispose]()
  }
}

/** Why it was refused, with the kubelet's message; undefined: it was registered. */
async function take(
  taker: PluginTaker | undefined,
  info: PluginInfo & { readonly socket: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (taker === undefined) return `RegisterPlugin error -- no handler registered for plugin type: ${info.type} at socket ${info.socket}`
  try {
    taker.check?.(info)
  } catch (error) {
    return `RegisterPlugin error -- plugin validation failed with err: ${messageOf(error)}`
  }
  try {
    await taker.take(info, signal)
    return undefined
  } catch (error) {
    return `RegisterPlugin error -- plugin registration failed with err: ${messageOf(error)}`
  }
}
