/**
 * `node bench/pod-cost.ts [--nodes N] [--pods N]`: what one pod costs from its creation to Running, and what it weighs when it runs: CPU
 * time of the whole process by its parts, requests by verb and resource, and bytes. The rate hangs on the machine; these do not, so two
 * trees are compared by them. `--bytes allocations` or `survivors`: what is allocated, by parts, in place of the time. `--burst`: only
 * until the last pod runs, without the events that follow. The sources are measured, not the bundle: a profile of the bundle names no
 * folders. `--keep FOLDER` keeps profile and (with `--snapshot`) heap snapshot.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Api, countOf, openApi, pump } from './api.ts'
import { cpuUs } from './cpu-per-op.ts'
import { appears, quiet, startMeasured, wait } from './measured-cluster.ts'
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
  const walk = (node: Allocated, requested: string) => {
    const own = /\/(src|bench)\/(.*)$/.exec(node.callFrame.url)
    const part = own === null ? requested : (own[2] ?? '').split('/').slice(0, depth).join('/')
    sums.set(part, (sums.get(part) ?? 0) + node.selfSize)
    for (const child of node.children) walk(child, part)
  }
  walk(head, 'node')
  return sums
}

const server = await startMeasured({
  folder,
  profile: 'pods.cpuprofile',
  root,
  nodes,
  flags: values.flags.split(' ').filter((flag) => flag !== ''),
  env: { HEAP_SNAPSHOT: values.snapshot ? '1' : '0', PROFILE_KIND: values.bytes },
})
const { child, pid } = server
using api = await openApi(server.kubeconfig, 4)
while ((await countOf(api, '/api/v1/nodes')) < nodes) await wait(100)
await wait(3000)
const ns = '/api/v1/namespaces/default'

async function create(prefix: string, count: number, until: 'running' | 'quiet'): Promise<void> {
  const all = running(api, ns, `${prefix}-`, count)
  await pump(count, 64, (i) => api.request('POST', `${ns}/pods`, pod(`${prefix}-${i}`)))
  await all
  if (until === 'running') return
  // What follows a pod's coming up belongs to it.
  await quiet(api, 500)
}

await create('warm', warm, 'quiet')
const memoryBefore = await server.memory()
const requestsBefore = await requests(api)
if (!values.brief) child.kill('SIGUSR2')
const cpuBefore = cpuUs(pid)
const begun = performance.now()
await create('p', pods, values.burst ? 'running' : 'quiet')
const cpu = cpuUs(pid) - cpuBefore
const wallS = (performance.now() - begun) / 1000
const requestsAfter = await requests(api)
if (!values.brief) child.kill('SIGUSR2')
const profile = values.brief ? undefined : (JSON.parse(await appears(server.profileFile)) as Profile & { readonly head: Allocated })
const memoryAfter = await server.memory()
await server.stop()

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
