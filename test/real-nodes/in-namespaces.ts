import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const GROUP = 'BOWSPRIT_TEST_GROUP'
const NAMESPACES = ['mount', 'net', 'uts', 'ipc', 'pid', 'fork', 'kill-child', 'mount-proc', 'propagation=private'].map((n) => `--${n}`)

/** The control group of what runs in these namespaces; whoever made them removes it. */
export const ownGroup = (): string => process.env[GROUP] ?? '/'

/** Whether this process was started in namespaces of its own. */
export const isInNamespaces = (): boolean => process.env[GROUP] !== undefined

/**
 * Runs a program of this repository in mount, network, process, host name and IPC namespaces of its own, as the first process there: when
 * it ends, or this process is told to stop, everything that was started or mounted in them ends too. Resolves with its exit code.
 */
export async function inNamespaces(file: string, args: readonly string[] = []): Promise<number> {
  const group = `/bowsprit-test-${process.pid}`
  const child = spawnInNamespaces(file, args, group)
  // It passes over all other signals while its child runs.
  const stop = () => child.kill('SIGKILL')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  try {
    const [code] = await once(child, 'exit')
    return typeof code === 'number' ? code : 1
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop)
    await removeGroups(group)
  }
}

/** The same, without waiting for its end. Its control group is for the caller to remove. */
export function spawnInNamespaces(file: string, args: readonly string[], group: string): ChildProcess {
  return spawn('unshare', [...NAMESPACES, process.execPath, '--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [GROUP]: group },
  })
}

async function removeGroups(group: string): Promise<void> {
  const root = '/sys/fs/cgroup'
  const tops = existsSync(path.join(root, 'cgroup.controllers')) ? [root] : readdirSync(root).map((name) => path.join(root, name))
  for (const top of tops) await removeGroup(path.join(top, group))
}

/** Processes that were killed leave their groups a moment later. */
async function removeGroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(path.join(folder, entry.name))
  for (let attempt = 0; ; attempt++) {
    try {
      return rmdirSync(folder)
    } catch (error) {
      if (attempt === 600) throw error
      await sleep(50)
    }
  }
}
