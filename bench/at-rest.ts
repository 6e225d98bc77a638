/**
 * `node bench/at-rest.ts [--nodes 2000] [--stages 10000,20000,40000]`: what running pods weigh when nothing happens to them any more, and what CPU they cost then.
 * Each stage is measured when what stood for a while is packed; the differences between stages are what a pod costs, without what is fixed.
 * `--profile` adds where the CPU at rest goes, `--snapshot` with `--keep FOLDER` a heap snapshot of the last stage.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Api, openApi, pump } from './api.ts'
import { cpuUs } from './cpu-per-op.ts'
import { pod } from './objects.ts'
import { byPart, type Profile } from './profile-parts.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '2000' },
    stages: { type: 'string', default: '10000,20000,40000' },
    settle: { type: 'string', default: '35' },
    watch: { type: 'string', default: '30' },
    keep: { type: 'string' },
    root: { type: 'string', default: path.join(import.meta.dirname, '..') },
    snapshot: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    flags: { type: 'string', default: '' },
  },
})
const nodes = Number(values.nodes)
const folder = values.keep ?? mkdtempSync(path.join(os.tmpdir(), 'bowsprit-at-rest-'))
mkdirSync(folder, { recursive: true })
const profileFile = path.join(folder, 'rest.cpuprofile')
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function appears(file: string): Promise<string> {
  while (!existsSync(file)) await wait(50)
  return readFileSync(file, 'utf8')
}

const kubeconfig = path.join(folder, 'kubeconfig')
for (const old of [kubeconfig, profileFile, path.join(folder, 'store.db')]) rmSync(old, { force: true })
const flags = values.flags.split(' ').filter((flag) => flag !== '')
const preload = ['--import', path.join(import.meta.dirname, 'profile-on-signal.ts'), path.join(values.root, 'src/cli/main.ts')]
const child = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', ...flags, ...preload, 'up', '--port', '0', '--data-dir', folder, '--nodes', String(nodes)],
  {
    stdio: ['ignore', flags.length === 0 ? 'ignore' : 'inherit', 'inherit'],
    env: { ...process.env, PROFILE_FILE: profileFile, HEAP_SNAPSHOT: '0' },
  },
)
const pid = child.pid ?? 0
process.once('exit', () => child.kill('SIGKILL'))
await appears(kubeconfig)
await wait(500)
using api = await openApi(kubeconfig, 4)

async function count(resource: string, selector = ''): Promise<number> {
  const { body } = await api.request('GET', `/api/v1/${resource}?limit=1${selector}`)
  const list = JSON.parse(body.toString()) as { items: unknown[]; metadata: { remainingItemCount?: number } }
  return list.items.length + (list.metadata.remainingItemCount ?? 0)
}

/** Requests that change something, leases aside. */
async function writes(from: Api): Promise<number> {
  const { body } = await from.request('GET', '/metrics', undefined, undefined, 'text/plain')
  let sum = 0
  for (const line of body.toString().split('\n'))
    if (line.startsWith('apiserver_request_total{') && /resource="(pods|events)"/.test(line) && !/verb="(LIST|GET|WATCH)"/.test(line))
      sum += Number(line.slice(line.lastIndexOf(' ')))
  return sum
}

/** A server that is crowded may refuse a stream: then the same is asked again. */
async function make(i: number): Promise<void> {
  for (;;) {
    const answer = await api.request('POST', '/api/v1/namespaces/default/pods', pod(`p-${i}`)).catch(() => undefined)
    if (answer !== undefined && answer.status < 400) return
    if (answer?.status === 409) return
    await wait(100)
  }
}

async function quiet(): Promise<void> {
  for (let last = -1, still = 0, now = 0; still < 3; still = last === now ? still + 1 : 0) {
    last = now
    await wait(1000)
    now = await writes(api)
  }
}

const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

interface Weight {
  readonly pods: number
  readonly residentMb: number
  readonly memory: NodeJS.MemoryUsage
  readonly cpuPercent: number
}

async function weigh(pods: number): Promise<Weight> {
  const [begun, cpu] = [performance.now(), cpuUs(pid)]
  await wait(Number(values.watch) * 1000)
  const cpuPercent = (cpuUs(pid) - cpu) / (performance.now() - begun) / 10
  const resident = residentMb()
  rmSync(`${profileFile}.memory`, { force: true })
  child.kill('SIGPIPE')
  return { pods, residentMb: resident, memory: JSON.parse(await appears(`${profileFile}.memory`)) as NodeJS.MemoryUsage, cpuPercent }
}

const mb = (bytes: number) => (bytes / (1 << 20)).toFixed(0)

while ((await count('nodes')) < nodes) await wait(200)
await wait(5000)
const weights: Weight[] = []
let made = 0
for (const stage of [0, ...values.stages.split(',').map(Number)]) {
  const from = made
  await pump(stage - from, 64, (i) => make(from + i))
  made = stage
  await quiet()
  await wait(Number(values.settle) * 1000)
  const now = await weigh(stage)
  weights.push(now)
  const { memory } = now
  console.log(
    `${stage} pods: RSS ${now.residentMb.toFixed(0)} MB, after GC ${mb(memory.rss)}; heap ${mb(memory.heapUsed)} of ${mb(memory.heapTotal)}, external ${mb(memory.external)}; CPU ${now.cpuPercent.toFixed(1)} % of a core`,
  )
}
for (const [i, now] of weights.entries()) {
  const before = weights[i - 1]
  if (before === undefined) continue
  const kb = (key: keyof NodeJS.MemoryUsage) => ((now.memory[key] - before.memory[key]) / (now.pods - before.pods) / 1000).toFixed(2)
  console.log(`a pod from ${before.pods} to ${now.pods}, KB: heap ${kb('heapUsed')}, external ${kb('external')}, RSS after GC ${kb('rss')}`)
}
if (values.profile) {
  child.kill('SIGUSR2')
  const begun = performance.now()
  await wait(Number(values.watch) * 1000)
  child.kill('SIGUSR2')
  const ms = performance.now() - begun
  const profile = JSON.parse(await appears(profileFile)) as Profile
  for (const depth of [1, 2, 3]) {
    console.log('CPU of the main thread at rest, ms a second:')
    const rows = [...byPart(profile, depth)].filter(([part, us]) => part !== '(idle)' && us / ms > 0.2)
    for (const [part, us] of rows.sort((a, b) => b[1] - a[1])) console.log(`  ${(us / ms).toFixed(1).padStart(6)}  ${part}`)
  }
}
if (values.snapshot) {
  child.kill('SIGWINCH')
  await appears(`${profileFile}.heapsnapshot.done`)
}
child.kill('SIGTERM')
await new Promise((resolve) => child.once('exit', resolve))
if (values.keep === undefined) rmSync(folder, { recursive: true })
process.exit(0)
