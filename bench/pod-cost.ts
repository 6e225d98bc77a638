/**
 * `node bench/pod-cost.ts [--nodes N] [--pods N]`: what one pod costs from its creation to Running, and what it weighs when it runs: CPU time of the whole
 * process by its parts, requests by verb and resource, and bytes. The rate hangs on the machine; these do not, so two trees are compared by them.
 * `--bytes allocations` or `survivors`: what is allocated, by parts, in place of the time. `--burst`: only until the last pod runs, without the events that follow.
 * The sources are measured, not the bundle: a profile of the bundle names no folders. `--keep FOLDER` keeps profile and (with `--snapshot`) heap snapshot.
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
    nodes: { type: 'string', default: '1000' },
    pods: { type: 'string', default: '10000' },
    warm: { type: 'string', default: '3000' },
    keep: { type: 'string' },
    root: { type: 'string', default: path.join(import.meta.dirname, '..') },
    snapshot: { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
    /** Bytes that are allocated, by parts, in place of CPU time. */
    bytes: { type: 'string', default: '' },
    /** Only until the last pod runs: not the events that follow. */
    burst: { type: 'boolean', default: false },
    flags: { type: 'string', default: '' },
  },
})
const { root } = values
const [nodes, pods, warm] = [Number(values.nodes), Number(values.pods), Number(values.warm)]
const folder = values.keep ?? mkdtempSync(path.join(os.tmpdir(), 'bowsprit-pod-cost-'))
mkdirSync(folder, { recursive: true })
const profileFile = path.join(folder, 'pods.cpuprofile')

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function appears(file: string): Promise<string> {
  while (!existsSync(file)) await wait(50)
  return readFileSync(file, 'utf8')
}

/** The samples of a counter with labels, by the part of its labels that tells requests apart. */
async function requests(api: Api): Promise<Map<string, number>> {
  const { body } = await api.request('GET', '/metrics', undefined, undefined, 'text/plain')
  const counts = new Map<string, number>()
  for (const line of body.toString().split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue
    const label = (name: string) => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? ''
    const key = `${label('verb')} ${label('resource')}${label('subresource') === '' ? '' : `/${label('subresource')}`} ${label('code')}`
    counts.set(key, (counts.get(key) ?? 0) + Number(line.slice(line.lastIndexOf(' '))))
  }
  return counts
}

async function running(api: Api, namespace: string, prefix: string, count: number): Promise<void> {
  const names = new Set<string>()
  let rest = ''
  const done = Promise.withResolvers<void>()
  const stream = api.stream(`${namespace}/pods?watch=1`, (bytes) => {
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.includes('"phase":"Running"')) continue
      const name = /"name":"([^"]+)"/.exec(line)?.[1]
      if (name?.startsWith(prefix)) names.add(name)
    }
    if (names.size >= count) done.resolve()
  })
  await done.promise
  stream.close()
}

interface Allocated {
  readonly callFrame: Profile['nodes'][number]['callFrame']
  readonly selfSize: number
  readonly children: readonly Allocated[]
}

/** Bytes by part of the program, as `byPart` counts time. */
function bytesByPart(head: Allocated, depth: number): Map<string, number> {
  const sums = new Map<string, number>()
  const walk = (node: Allocated, asked: string) => {
    const own = /\/(src|bench)\/(.*)$/.exec(node.callFrame.url)
    const part = own === null ? asked : (own[2] ?? '').split('/').slice(0, depth).join('/')
    sums.set(part, (sums.get(part) ?? 0) + node.selfSize)
    for (const child of node.children) walk(child, part)
  }
  walk(head, 'node')
  return sums
}

const kubeconfig = path.join(folder, 'kubeconfig')
rmSync(kubeconfig, { force: true })
rmSync(profileFile, { force: true })
const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    ...values.flags.split(' ').filter((flag) => flag !== ''),
    '--import',
    path.join(import.meta.dirname, 'profile-on-signal.ts'),
    path.join(root, 'src/cli/main.ts'),
    'up',
    '--port',
    '0',
    '--data-dir',
    folder,
    '--nodes',
    String(nodes),
  ],
  {
    stdio: ['ignore', values.flags === '' ? 'ignore' : 'inherit', 'inherit'],
    env: { ...process.env, PROFILE_FILE: profileFile, HEAP_SNAPSHOT: values.snapshot ? '1' : '0', PROFILE_KIND: values.bytes },
  },
)
const pid = child.pid ?? 0
process.once('exit', () => child.kill('SIGKILL'))
await appears(kubeconfig)
await wait(500)
using api = await openApi(kubeconfig, 4)
for (;;) {
  const { body } = await api.request('GET', '/api/v1/nodes?limit=1')
  const list = JSON.parse(body.toString()) as { items: unknown[]; metadata: { remainingItemCount?: number } }
  if (list.items.length + (list.metadata.remainingItemCount ?? 0) >= nodes) break
  await wait(100)
}
await wait(3000)
const ns = '/api/v1/namespaces/default'

async function create(prefix: string, count: number, until: 'running' | 'quiet'): Promise<void> {
  const all = running(api, ns, `${prefix}-`, count)
  await pump(count, 64, (i) => api.request('POST', `${ns}/pods`, pod(`${prefix}-${i}`)))
  await all
  if (until === 'running') return
  // What follows a pod's coming up (events, heartbeats of a moment) belongs to it.
  for (let last = -1, quiet = 0, now = 0; quiet < 3; quiet = last === now ? quiet + 1 : 0) {
    last = now
    await wait(500)
    now = [...(await requests(api)).entries()].reduce((sum, [key, n]) => sum + (key.includes('pods') || key.includes('events') ? n : 0), 0)
  }
}

const memory = async () => {
  rmSync(`${profileFile}.memory`, { force: true })
  child.kill('SIGPIPE')
  return JSON.parse(await appears(`${profileFile}.memory`)) as NodeJS.MemoryUsage
}

await create('warm', warm, 'quiet')
const memoryBefore = await memory()
const requestsBefore = await requests(api)
if (!values.brief) child.kill('SIGUSR2')
const cpuBefore = cpuUs(pid)
const begun = performance.now()
await create('p', pods, values.burst ? 'running' : 'quiet')
const cpu = cpuUs(pid) - cpuBefore
const wallS = (performance.now() - begun) / 1000
const requestsAfter = await requests(api)
if (!values.brief) child.kill('SIGUSR2')
const profile = values.brief ? undefined : (JSON.parse(await appears(profileFile)) as Profile & { readonly head: Allocated })
const memoryAfter = await memory()
if (values.snapshot) await appears(`${profileFile}.heapsnapshot`)
child.kill('SIGTERM')
await new Promise((resolve) => child.once('exit', resolve))

const per = (n: number) => (n / pods).toFixed(2)
console.log(
  `${pods} pods on ${nodes} nodes: ${Math.round(cpu / pods)} µs of CPU a pod, all threads (${Math.round(pods / wallS)}/s with the client beside it)`,
)
const grown = (key: 'heapUsed' | 'external' | 'arrayBuffers' | 'rss') => ((memoryAfter[key] - memoryBefore[key]) / pods / 1000).toFixed(2)
console.log(`memory a pod, KB: heap ${grown('heapUsed')}, external ${grown('external')}, rss ${grown('rss')}`)
console.log('requests a pod:')
const grew = [...requestsAfter].map(([key, n]) => [key, n - (requestsBefore.get(key) ?? 0)] as const)
for (const [key, n] of grew.filter(([, n]) => n > pods / 100).sort((a, b) => b[1] - a[1])) console.log(`  ${per(n).padStart(6)}  ${key}`)
if (profile !== undefined) {
  for (const depth of [1, 2]) {
    console.log(values.bytes !== '' ? 'allocated, KB a pod:' : 'CPU of the main thread, µs a pod:')
    const parts =
      values.bytes !== ''
        ? [...bytesByPart(profile.head, depth)].map(([part, n]) => [part, n / 1000] as const)
        : [...byPart(profile, depth)]
    const rows = parts.filter(([part, n]) => part !== '(idle)' && n / pods > 4)
    console.log(`  ${String(Math.round(rows.reduce((sum, [, n]) => sum + n, 0) / pods)).padStart(6)}  all of these`)
    for (const [part, us] of rows.sort((a, b) => b[1] - a[1])) console.log(`  ${String(Math.round(us / pods)).padStart(6)}  ${part}`)
  }
}
if (values.keep === undefined) rmSync(folder, { recursive: true })
process.exit(0)
