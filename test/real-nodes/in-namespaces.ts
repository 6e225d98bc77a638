import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const GROUP = 'BOWSPRIT_TEST_GROUP'
const GROUP_PREFIX = 'bowsprit-test-'
/** The namespaces go when this process is killed, too. */
const WITH_PARENT = ['--pdeathsig', 'KILL', 'unshare']
const NAMESPACES = ['mount', 'net', 'uts', 'ipc', 'pid', 'fork', 'kill-child', 'mount-proc', 'propagation=private'].map((n) => `--${n}`)

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The control group of what runs in these namespaces; whoever made them removes it. */
export const ownGroup = (): string => process.env[GROUP] ?? '/'

/** Why this machine lets nobody make namespaces and control groups; undefined: it does. */
export function whyNoNamespaces(): string | undefined {
  if (spawnSync('unshare', [...NAMESPACES, 'true']).status !== 0) return 'namespaces are not allowed here'
  try {
    for (const root of groupRoots()) accessSync(root, constants.W_OK)
    return undefined
  } catch (error) {
    return `control groups cannot be made here: ${error}`
  }
}

/** Whether this process was started in namespaces of its own. */
export const isInNamespaces = (): boolean => process.env[GROUP] !== undefined

/**
 * Runs a program of this repository in mount, network, process, host name and IPC namespaces of its own, as the first process there: when
 * it ends, or this process is told to stop or is killed, everything that was started or mounted in them ends too. Resolves with its exit
 * code. Only a killed process leaves its control groups behind; the next one removes them.
 */
export async function inNamespaces(file: string, args: readonly string[] = [], signal?: AbortSignal): Promise<number> {
  await removeAbandonedGroups()
  const group = `/${GROUP_PREFIX}${process.pid}`
  const child = spawnInNamespaces(file, args, group)
  // It passes over all other signals while its child runs.
  const stop = () => child.kill('SIGKILL')
  for (const name of STOPPING) process.on(name, stop)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const [code] = await once(child, 'exit')
    return typeof code === 'number' ? code : 1
  } finally {
    signal?.removeEventListener('abort', stop)
    await removeGroups(group)
    for (const name of STOPPING) process.off(name, stop)
  }
}

/** The same, without waiting for its end. Its control group is for the caller to remove. */
export function spawnInNamespaces(file: string, args: readonly string[], group: string): ChildProcess {
  return spawn('setpriv', [...WITH_PARENT, ...NAMESPACES, process.execPath, '--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [GROUP]: group },
  })
}

/** Where groups are: the hierarchy of version 2, or those of version 1. */
function groupRoots(): readonly string[] {
  const root = '/sys/fs/cgroup'
  return existsSync(path.join(root, 'cgroup.controllers')) ? [root] : readdirSync(root).map((name) => path.join(root, name))
}

/** Processes that were killed leave their groups a moment later. */
const ATTEMPTS = 600

async function removeGroups(group: string): Promise<void> {
  for (const top of groupRoots()) await removeGroup(path.join(top, group), ATTEMPTS)
}

/** What still has processes belongs to somebody, after all. */
async function removeAbandonedGroups(): Promise<void> {
  const isAbandoned = (name: string) => name.startsWith(GROUP_PREFIX) && !existsSync(`/proc/${name.slice(GROUP_PREFIX.length)}`)
  const folders = groupRoots().flatMap((top) =>
    readdirSync(top)
      .filter(isAbandoned)
      .map((name) => path.join(top, name)),
  )
  for (const folder of folders) await removeGroup(folder, 1).catch(() => {})
}

async function removeGroup(folder: string, attempts: number): Promise<void> {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(path.join(folder, entry.name), attempts)
  for (let attempt = 1; ; attempt++) {
    try {
      return rmdirSync(folder)
    } catch (error) {
      if (attempt === attempts) throw error
      await sleep(50)
    }
  }
}
