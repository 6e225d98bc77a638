/**
 * `node bench/etcd.ts [--rounds 2] [--writes 3000] [--warm 6000] [--objects 300000] [--alone] [--profile FOLDER]`: a Bowsprit API server
 * and the real kube-apiserver on one real etcd, and a Bowsprit server that keeps its objects in memory, in one run: CPU per write, writes
 * that are durable, the way of an event from one server to the other, and (`--objects`) a start with many objects. It needs etcd
 * (`ETCD_BIN`), `ORACLE_BIN` with kube-apiserver (not with `--alone`), and the recordings beside the checkout (`../shared/upstream`), whose
 * runner starts both. `--profile` writes a CPU profile of our server for each operation.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/base/clock.ts'
import { silentLogger } from '../src/base/logger.ts'
import { systemRandom } from '../src/base/random.ts'
import { openKubernetesEtcd } from '../src/cluster/server/etcd-store.ts'
import { etcdOf } from '../src/server/options/storage.ts'
import { upstream } from '../test/upstream.ts'
import { type Api, openApi, percentile, pump } from './api.ts'
import { cpuUs, residentMib } from './cpu-per-op.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    objects: { type: 'string', default: '0' },
    writes: { type: 'string', default: '3000' },
    warm: { type: 'string', default: '6000' },
    alone: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const CLIENTS = 64
/** What each server does before it is the next one's turn. */
const A_TURN = 500
const inTurns = (count: string) => Math.ceil(Number(count) / A_TURN) * A_TURN
const COUNTED = inTurns(values.writes)
const WARM = inTurns(values.warm)

interface Started {
  readonly pid: number
  stop(): Promise<void>
}
interface Runner {
  makePki(folder: string): string
  startEtcd(init: { dir: string; port: number; flags?: string[] }): Promise<Started & { readonly url: string }>
  startServer(init: {
    template: string
    etcd: string
    port: number
    dir: string
    pki: string
    ready?: number
    env?: NodeJS.ProcessEnv
  }): Promise<Started>
}
const runner = (await import(path.join(upstream, 'etcd/lib.mjs'))) as Runner
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-etcd-'))
const pki = runner.makePki(path.join(folder, 'pki'))
const WORDS = '{etcd} {port} {dir} {pki}'
const OURS = path.join(import.meta.dirname, '../scripts/etcd/server.sh')
const ON_ETCD = [
  ['bowsprit', `${OURS} ${WORDS}`],
  ...(values.alone ? [] : ([['kube-apiserver', `${path.join(upstream, 'etcd/servers/kube-apiserver.sh')} ${WORDS}`]] as const)),
] as const
/** What a write costs without etcd. */
const IN_MEMORY = ['bowsprit in memory', `${OURS} '' {port} {dir} {pki}`] as const
const PROFILE = path.join(folder, 'cpuprofile')
const PROFILED = { PROFILE_FILE: PROFILE, NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'profile-on-signal.ts')}` }

interface Server extends Started {
  readonly name: string
  readonly api: Api
}

async function start(name: string, template: string, port: number, etcd: string): Promise<Server> {
  const env = { ...process.env, ...(values.profile !== undefined && name === 'bowsprit' && PROFILED) }
  const started = await runner.startServer({ template, etcd, port, dir: path.join(folder, String(port)), pki, ready: 120_000, env })
  const kubeconfig = path.join(folder, `${port}.kubeconfig`)
  writeFileSync(kubeconfig, `server: https://127.0.0.1:${port}\ncertificate-authority: ${pki}/ca.crt\ntoken: admin-token\n`)
  return { ...started, name, api: await openApi(kubeconfig, 8) }
}

const configMap = (name: string, i: number) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { 'bench/round': String(i) } },
    data: { a: 'y'.repeat(1000) },
  })

async function expect(server: Server, code: number, ...request: Parameters<Api['request']>): Promise<void> {
  const { status, body } = await server.api.request(...request)
  if (status !== code)
    throw new Error(`${server.name}: ${request[0]} ${request[1]} was answered with ${status}: ${body.toString().slice(0, 300)}`)
}

const report: Record<string, Record<string, number[]>> = {}
const note = (measure: string, server: string, value: number) => {
  const row = report[measure] ?? {}
  report[measure] = { ...row, [server]: [...(row[server] ?? []), value] }
}

const OPERATIONS = {
  create: (server, ns, i) => expect(server, 201, 'POST', `${ns}/configmaps`, configMap(`c-${i}`, i)),
  update: (server, ns, i) => expect(server, 200, 'PUT', `${ns}/configmaps/c-${i % 200}`, configMap(`c-${i % 200}`, -i - 1)),
  patch: (server, ns, i) => {
    const patch = JSON.stringify({ metadata: { annotations: { 'bench/patched': String(i) } } })
    return expect(server, 200, 'PATCH', `${ns}/configmaps/c-${i % 200}`, patch, 'application/merge-patch+json')
  },
} satisfies Record<string, (server: Server, ns: string, i: number) => Promise<void>>

/**
 * CPU of each server's process for each operation, and how many creates per second etcd and it make durable. The servers take turns, so
 * that other work of the machine slows all of them; before they are counted, their code is compiled.
 */
async function writes(servers: readonly Server[], round: number): Promise<void> {
  const namespaceOf = ({ name }: Server) => `bench-${name.replaceAll(' ', '-')}-${round}`
  const namespace = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  for (const server of servers) await expect(server, 201, 'POST', '/api/v1/namespaces', namespace(namespaceOf(server)))
  for (const [name, run] of Object.entries(OPERATIONS)) {
    let from = 0
    const turn = (server: Server) => pump(A_TURN, CLIENTS, (i) => run(server, `/api/v1/namespaces/${namespaceOf(server)}`, from + i))
    const spent = new Map(servers.map((server) => [server, { us: 0, ms: 0 }]))
    for (; from < WARM + COUNTED; from += A_TURN)
      for (const [server, sum] of spent) {
        const before = cpuUs(server.pid)
        const { totalMs } = await turn(server)
        if (from < WARM) continue
        sum.us += cpuUs(server.pid) - before
        sum.ms += totalMs
      }
    for (const [server, { us, ms }] of spent) {
      note(`CPU per ${name}, µs`, server.name, us / COUNTED)
      if (name === 'create') note('durable creates by 64 clients, per second', server.name, (COUNTED / ms) * 1000)
      if (values.profile !== undefined && server.name === 'bowsprit') await profile(server, name, () => turn(server))
    }
  }
}

async function profile(server: Server, name: string, work: () => Promise<unknown>): Promise<void> {
  process.kill(server.pid, 'SIGUSR2')
  await work()
  process.kill(server.pid, 'SIGUSR2')
  while (!existsSync(PROFILE)) await systemClock.sleep(50)
  mkdirSync(values.profile ?? '', { recursive: true })
  renameSync(PROFILE, path.join(values.profile ?? '', `${name}.cpuprofile`))
}

/** From the request at one server to the event at a watcher of the other. */
async function eventWay(from: Server, to: Server): Promise<void> {
  const ns = `/api/v1/namespaces/default`
  let wake: (() => void) | undefined
  let seen = ''
  const watch = to.api.stream(`${ns}/configmaps?watch=1`, (bytes) => {
    seen += bytes.toString()
    wake?.()
  })
  const each: number[] = []
  for (let i = 0; i < 300; i++) {
    const name = `event-${from.name}-${to.name}-${i}`
    const at = performance.now()
    const arrived = new Promise<void>((resolve) => {
      wake = () => seen.includes(`"${name}"`) && resolve()
    })
    await Promise.all([
      expect(from, 201, 'POST', `${ns}/configmaps`, configMap(name, i)),
      arrived.then(() => each.push(performance.now() - at)),
    ])
    seen = ''
  }
  watch.close()
  note('event at the other server, p50 ms', `${from.name} → ${to.name}`, percentile(each, 0.5))
}

/** How long a server needs to its readiness with so many config maps in etcd, and what it then holds. */
async function manyObjects(etcd: string, count: number): Promise<void> {
  const store = await openKubernetesEtcd(etcdOf({ 'etcd-servers': [etcd] }), {
    clock: systemClock,
    log: silentLogger,
    random: systemRandom(),
  })
  await pump(count, 256, async (i) => {
    const value = JSON.stringify({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: `o-${i}`, namespace: 'default', uid: systemRandom().uuid(), creationTimestamp: '2026-01-01T00:00:00Z' },
      data: { a: 'y'.repeat(1000) },
    })
    return store.commit({ key: `/registry/core/configmaps/default/o-${i}`, expect: { absent: true }, value: Buffer.from(value) })
  })
  await store[Symbol.asyncDispose]()
  for (const [i, [name, template]] of ON_ETCD.entries()) {
    const at = performance.now()
    const server = await start(name, template, 25_520 + i, etcd)
    note(`start to ready with ${count} objects, s`, name, (performance.now() - at) / 1000)
    note(`CPU of the server until then, s`, name, cpuUs(server.pid) / 1e6)
    note(`memory with ${count} objects, MiB`, name, residentMib(server.pid))
    await server.stop()
  }
}

const etcd = await runner.startEtcd({
  dir: path.join(folder, 'etcd'),
  port: 25_500,
  flags: ['--unsafe-no-fsync=false', '--quota-backend-bytes=8589934592'],
})
try {
  if (Number(values.rounds) > 0) {
    const servers = await Promise.all(ON_ETCD.map(([name, template], i) => start(name, template, 25_510 + i, etcd.url)))
    const [ours, real] = servers
    const inMemory = await start(...IN_MEMORY, 25_519, '')
    for (let round = 0; round < Number(values.rounds); round++) await writes([...servers, inMemory], round)
    await inMemory.stop()
    if (ours !== undefined && real !== undefined)
      for (const [from, to] of [
        [ours, real],
        [real, ours],
        [ours, ours],
        [real, real],
      ] as const)
        await eventWay(from, to)
    for (const server of servers) await server.stop()
  }
  if (Number(values.objects) > 0) await manyObjects(etcd.url, Number(values.objects))
} finally {
  await etcd.stop()
  rmSync(folder, { recursive: true, force: true })
}
console.log('| measure | server | values |\n|---|---|---|')
for (const [measure, row] of Object.entries(report))
  for (const [server, list] of Object.entries(row))
    console.log(`| ${measure} | ${server} | ${list.map((value) => value.toFixed(1)).join(', ')} |`)
process.exit(0)
