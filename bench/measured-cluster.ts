/**
 * A cluster from the sources in a process of its own, which can be profiled and weighed from outside while it runs
 * (`profile-on-signal.ts`).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Api } from './api.ts'

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The text of a file, as soon as it is there. */
export async function appears(file: string): Promise<string> {
  while (!existsSync(file)) await wait(50)
  return readFileSync(file, 'utf8')
}

export interface MeasuredOptions {
  /** Where it keeps its data and its kubeconfig; it begins without data. */
  readonly folder: string
  /** What its profile is called, in that folder. */
  readonly profile: string
  /** The tree whose sources are measured. */
  readonly root: string
  readonly nodes: number
  /** More of `bowsprit up`. */
  readonly up?: readonly string[]
  /** Of Node; they may print, so that the process may too. */
  readonly flags?: readonly string[]
  /** Files beside this one that it loads first. */
  readonly preload?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Default: what it says of errors is shown. */
  readonly silent?: boolean
}

export interface Measured {
  readonly child: ChildProcess
  readonly pid: number
  readonly kubeconfig: string
  /** Where `SIGUSR2` has its profile written. */
  readonly profileFile: string
  /** What it weighs when garbage was collected. */
  memory(): Promise<NodeJS.MemoryUsage>
  stop(): Promise<void>
}

/** Resolves when its kubeconfig is there. It does not outlive the process that asks. */
export async function startMeasured(options: MeasuredOptions): Promise<Measured> {
  const { folder, root, flags = [], preload = [], env = {} } = options
  const kubeconfig = path.join(folder, 'kubeconfig')
  const profileFile = path.join(folder, options.profile)
  const data = ['store.db', 'store.db-wal'].map((name) => path.join(folder, name))
  for (const old of [kubeconfig, profileFile, ...data]) rmSync(old, { force: true })
  const imports = [...preload, 'profile-on-signal.ts'].flatMap((name) => ['--import', path.join(import.meta.dirname, name)])
  const up = [
    path.join(root, 'src/cli/main.ts'),
    'up',
    '--port',
    '0',
    '--data-dir',
    folder,
    '--nodes',
    String(options.nodes),
    ...(options.up ?? []),
  ]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, ...imports, ...up], {
    stdio: ['ignore', flags.length === 0 ? 'ignore' : 'inherit', options.silent ? 'ignore' : 'inherit'],
    env: { ...process.env, PROFILE_FILE: profileFile, ...env },
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  await appears(kubeconfig)
  await wait(500)
  return {
    child,
    pid: child.pid ?? 0,
    kubeconfig,
    profileFile,
    async memory() {
      rmSync(`${profileFile}.memory`, { force: true })
      child.kill('SIGPIPE')
      return JSON.parse(await appears(`${profileFile}.memory`)) as NodeJS.MemoryUsage
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Requests that changed pods and events so far. */
async function writesOfPods(api: Api): Promise<number> {
  const { body } = await api.request('GET', '/metrics', undefined, undefined, 'text/plain')
  let sum = 0
  for (const line of body.toString().split('\n'))
    if (line.startsWith('apiserver_request_total{') && /resource="(pods|events)"/.test(line) && !/verb="(LIST|GET|WATCH)"/.test(line))
      sum += Number(line.slice(line.lastIndexOf(' ')))
  return sum
}

/** What follows a pod's coming up (events, heartbeats of a moment) is over: nothing was written between four looks, one after the other. */
export async function quiet(api: Api, everyMs: number): Promise<void> {
  for (let last = -1, still = 0, now = 0; still < 3; still = last === now ? still + 1 : 0) {
    last = now
    await wait(everyMs)
    now = await writesOfPods(api)
  }
}
