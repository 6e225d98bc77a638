/** The measures of Bowsprit itself: how fast it starts, what it weighs, how fast pods get their node and run. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { kubectlPath } from '../scripts/clients.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { freePort } from '../test/free-port.ts'
import { countOf, openApi, percentile, pump } from './api.ts'
import { residentMib } from './cpu-per-op.ts'
import type { Result } from './measures.ts'
import { namespace } from './measures.ts'
import { node, pod } from './objects.ts'

const root = path.join(import.meta.dirname, '..')

/** The built package of a tree where there is one, else the sources. */
export function programOf(tree: string): string {
  const built = path.join(tree, 'dist', 'bowsprit.js')
  return existsSync(built) ? built : path.join(tree, 'src', 'cli', 'main.ts')
}

export interface Started {
  readonly child: ChildProcess
  readonly kubeconfig: string
  /** From the start of the process to the first response. */
  readonly firstMs: number
  /** To the first authenticated response: the kubeconfig is written when the nodes have registered. */
  readonly ms: number
}

/** Starts a cluster of this tree in a process of its own. */
export const startProcess = (folder: string, ...flags: string[]): Promise<Started> => startProgram(programOf(root), folder, flags)

/** Starts a cluster in a process of its own, kept in the folder, or with `--ephemeral` with its kubeconfig there. */
export async function startProgram(program: string, folder: string, flags: readonly string[]): Promise<Started> {
  const kubeconfig = path.join(folder, 'kubeconfig')
  const storage = flags.includes('--ephemeral') ? ['--kubeconfig', kubeconfig] : ['--data-dir', folder]
  rmSync(kubeconfig, { force: true })
  const port = await freePort()
  const begun = performance.now()
  const env = { ...process.env, NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'compile') }
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, 'up', '--port', String(port), ...storage, ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'], env },
  )
  let firstMs: number | undefined
  for (;;) {
    if (child.exitCode !== null) throw new Error(`bowsprit up ended with ${child.exitCode}`)
    if (firstMs === undefined && (await isAlive(port))) firstMs = performance.now() - begun
    if (firstMs !== undefined && existsSync(kubeconfig)) {
      try {
        using api = await openApi(kubeconfig, 1)
        const { status } = await api.request('GET', '/api/v1/namespaces/default')
        if (status === 200) return { child, kubeconfig, firstMs, ms: performance.now() - begun }
      } catch {
        // Not listening yet.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Whether the server on this port responds to a client without credentials. */
function isAlive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/livez', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

export async function stopProcess({ child }: Started): Promise<number> {
  const begun = performance.now()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  return performance.now() - begun
}

const temporary = () => mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))

export async function startUp(): Promise<Result[]> {
  const first: number[] = []
  const second: number[] = []
  const ready: number[] = []
  const stops: number[] = []
  for (let i = 0; i < 5; i++) {
    const folder = temporary()
    const one = await startProcess(folder)
    first.push(one.firstMs)
    ready.push(one.ms)
    stops.push(await stopProcess(one))
    const two = await startProcess(folder)
    second.push(two.firstMs)
    stops.push(await stopProcess(two))
    rmSync(folder, { recursive: true })
  }
  const ms = (values: readonly number[]) => `${Math.round(percentile(values, 0.5))} ms`
  return [
    {
      measure: 'process start to first answer, second start',
      value: ms(second),
      aim: '≤ 200 ms',
      upstream: '1,090 ms',
      ratio: 1090 / percentile(second, 0.5),
    },
    {
      measure: 'process start to first answer, first start',
      value: ms(first),
      aim: '≤ 350 ms',
      upstream: '2,278 ms (ready)',
      ratio: 2278 / percentile(first, 0.5),
    },
    { measure: 'process start to ready, first start (nodes registered, kubeconfig written)', value: ms(ready), aim: '–', upstream: '–' },
    { measure: 'clean stop', value: ms(stops), aim: 'well under 1 s', upstream: '–' },
  ]
}

export async function warmCluster(): Promise<Result[]> {
  const times: number[] = []
  for (let i = 0; i < 12; i++) {
    const begun = performance.now()
    const cluster = await startCluster({ nodes: 1 })
    times.push(performance.now() - begun)
    await cluster[Symbol.asyncDispose]()
  }
  return [
    {
      measure: 'a cluster with one node inside a running process, warm',
      value: `${percentile(times.slice(2), 0.5).toFixed(1)} ms`,
      aim: '≤ 30 ms',
      upstream: '–',
    },
  ]
}

export async function memory(): Promise<Result[]> {
  const folder = temporary()
  const started = await startProcess(folder)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const mib = residentMib(started.child.pid ?? 0)
  await stopProcess(started)
  rmSync(folder, { recursive: true })
  return [
    {
      measure: 'memory at rest, everything on, one node',
      value: `${Math.round(mib)} MB`,
      aim: '≤ 110 MB',
      upstream: '324 MB without controllers, scheduler, node',
      ratio: 324 / mib,
    },
  ]
}

/** Counts pods of a namespace that fulfil `text`, by a watch. */
export async function until(kubeconfig: string, ns: string, text: string, count: number, act: () => Promise<void>): Promise<number> {
  using api = await openApi(kubeconfig, 2)
  const names = new Set<string>()
  let rest = ''
  let done = () => {}
  const all = new Promise<void>((resolve) => {
    done = resolve
  })
  const stream = api.stream(`${ns}/pods?watch=1`, (bytes) => {
    rest += bytes.toString('latin1')
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.includes(text)) continue
      const name = /"name":"([^"]+)"/.exec(line)?.[1]
      if (name !== undefined) names.add(name)
    }
    if (names.size >= count) done()
  })
  const begun = performance.now()
  await act()
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 120_000).unref())])
  stream.close()
  if (names.size < count) throw new Error(`only ${names.size} of ${count} pods came so far`)
  return performance.now() - begun
}

export async function scheduling(): Promise<Result[]> {
  const folder = temporary()
  const started = await startProcess(folder, '--parts', 'server,scheduler')
  using api = await openApi(started.kubeconfig, 4)
  await pump(5000, 64, (i) => api.request('POST', '/api/v1/nodes', node(`n-${i}`)))
  // What controllers would do: take the taint away that new nodes have.
  await pump(5000, 64, (i) => api.request('PATCH', `/api/v1/nodes/n-${i}`, '{"spec":{"taints":null}}', 'application/merge-patch+json'))
  const ns = await namespace(api, 'bench')
  const n = 10_000
  const ms = await until(started.kubeconfig, ns, '"nodeName":"', n, async () => {
    await pump(n, 64, (i) => api.request('POST', `${ns}/pods`, pod(`p-${i}`)))
  })
  await stopProcess(started)
  rmSync(folder, { recursive: true })
  const rate = Math.round((n / ms) * 1000)
  return [
    {
      measure: 'pods created → bound, 5,000 nodes',
      value: `${rate.toLocaleString('en')}/s`,
      aim: '≥ 4,000/s',
      upstream: '398/s',
      ratio: rate / 398,
    },
  ]
}

export async function running(): Promise<Result[]> {
  const folder = temporary()
  const started = await startProcess(folder, '--nodes', '5000')
  using api = await openApi(started.kubeconfig, 4)
  while ((await countOf(api, '/api/v1/nodes')) < 5000) await new Promise((resolve) => setTimeout(resolve, 100))
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const n = 30_000
  const ns = '/api/v1/namespaces/default'
  const ms = await until(started.kubeconfig, ns, '"phase":"Running"', n, async () => {
    await pump(n, 64, (i) => api.request('POST', `${ns}/pods`, pod(`p-${i}`)))
  })
  await stopProcess(started)
  rmSync(folder, { recursive: true })
  return [
    {
      measure: 'pods created → Running, 5,000 simulated nodes, 30,000 pods',
      value: `${Math.round((n / ms) * 1000).toLocaleString('en')}/s`,
      aim: '≥ 2,500/s',
      upstream: '–',
    },
  ]
}

/** `kubectl get pods` with an empty discovery cache against one with a full one. */
export async function coldDiscovery(): Promise<Result[]> {
  const folder = temporary()
  const started = await startProcess(folder, '--parts', 'server')
  const caches: string[] = []
  const time = async (cache: string) => {
    const begun = performance.now()
    await promisify(execFile)(kubectlPath(), ['get', 'pods', '--kubeconfig', started.kubeconfig, '--cache-dir', cache])
    return performance.now() - begun
  }
  const cold: number[] = []
  const warm: number[] = []
  for (let i = 0; i < 9; i++) {
    const cache = temporary()
    caches.push(cache)
    cold.push(await time(cache))
    warm.push(await time(cache))
  }
  await stopProcess(started)
  for (const used of [folder, ...caches]) rmSync(used, { recursive: true })
  const [c, w] = [percentile(cold, 0.5), percentile(warm, 0.5)]
  return [
    {
      measure: '`kubectl get pods`, cold discovery / warm',
      value: `${Math.round(c)} / ${Math.round(w)} ms, ${(c / w).toFixed(2)}×`,
      aim: '≤ 1.2×',
      upstream: '–',
    },
  ]
}
