/**
 * `node bench/hostile-soak.ts [--seconds 600] [--seed N] [--threads=false]`: 64 clients that write and read, and 200 watches, beside twenty
 * hostile pods, claims and workloads of a namespace with a quota. Fails when something is lost, the server ends, or its memory grows in the
 * second half of ten minutes or more. The p99 of a GET is printed beside the load of the machine, and has an aim only. Build first.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom } from '../src/base/random.ts'
import { type Api, openApi, percentile } from './api.ts'
import { startProcess, stopProcess } from './cluster-measures.ts'
import { residentMib } from './cpu-per-op.ts'
import { HOSTILE, HOSTILE_OBJECTS, PREPARED } from './hostile/hostile-objects.ts'
import { type StateWatch, watchState } from './hostile/state-watch.ts'
import { type Expected, steadyClient, steadyNamespaces, type Tally } from './hostile/steady-clients.ts'
import { wait } from './measured-cluster.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' }, threads: { type: 'string', default: 'true' } },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9))
const CLIENTS = 64
const WATCHES = 200
const AIM_MS = 50
/** Histories of five minutes fill first: memory that grows is a fault only in a run whose second half begins after them. */
const JUDGED_S = 600
/** The median of the last part of the second half may exceed that of its first part by so much. */
const GROWTH = 1.1
/** A watch has so long to see the last writes. */
const LAST_EVENTS_MS = 60_000

async function post(api: Api, collection: string, object: object, allowed: readonly number[] = [201]): Promise<void> {
  const { status, body } = await api.request('POST', collection, JSON.stringify(object))
  if (!allowed.includes(status)) throw new Error(`POST ${collection}: ${status} ${body.toString().slice(0, 300)}`)
}

async function namespace(api: Api, name: string): Promise<void> {
  await post(api, '/api/v1/namespaces', { metadata: { name } })
  while ((await api.request('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)).status !== 200) await wait(50)
}

/** Posts the hostile objects in an order of chance, spread over the first fifth of the time. */
async function letLoose(api: Api): Promise<void> {
  const random = seededRandom(seed)
  const order = [...HOSTILE_OBJECTS].sort(() => random.next() - 0.5)
  for (const { collection, object } of order) {
    // The quota may be used up already.
    await post(api, collection, object, [201, 403])
    await wait((seconds * 1000) / 5 / order.length)
  }
}

/** What a watch has not seen, or sees otherwise. */
function missedBy({ values: seen, ended }: StateWatch, expected: Expected, ns: string): readonly string[] {
  if (ended) return [`a watch of ${ns} was ended`]
  const own = [...expected].filter(([at]) => at.includes(`/${ns}/`))
  return own.filter(([at, value]) => seen.get(at) !== value).map(([at, value]) => `a watch: ${at} is not ${value}`)
}

async function missed(watches: readonly (readonly [string, StateWatch])[], expected: Expected): Promise<readonly string[]> {
  const now = () => watches.flatMap(([ns, watch]) => missedBy(watch, expected, ns))
  for (const until = performance.now() + LAST_EVENTS_MS; now().length > 0 && performance.now() < until; ) await wait(500)
  return now()
}

console.log(`seed ${seed}`)
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-hostile-'))
const server = await startProcess(folder, '--nodes', '3', `--threads=${values.threads}`)
const tally: Tally = { requests: 0, gets: [], faults: [] }
const memory: number[] = []
try {
  using api = await openApi(server.kubeconfig, 8)
  using watching = await openApi(server.kubeconfig, 8)
  for (const name of [...steadyNamespaces, HOSTILE]) await namespace(api, name)
  const watches = Array.from({ length: WATCHES }, (_, i) => {
    const ns = steadyNamespaces[i % steadyNamespaces.length] ?? ''
    return [ns, watchState(watching, ns)] as const
  })
  for (const { collection, object } of PREPARED) await post(api, collection, object)
  const over = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, i) => steadyClient(api, i, seed, tally, over.signal))
  const hostile = letLoose(api)
  hostile.catch((error: unknown) => tally.faults.push(String(error)))
  const begun = performance.now()
  for (let next = 0; performance.now() - begun < seconds * 1000; ) {
    await Promise.race([wait(1000), ...clients])
    if (server.child.exitCode !== null) throw new Error(`the server has ended with ${server.child.exitCode}`)
    memory.push(residentMib(server.child.pid ?? 0))
    if (performance.now() - begun < next) continue
    next += (seconds * 1000) / 20
    const load = os.loadavg()[0]?.toFixed(1)
    const p99 = Math.round(percentile(tally.gets.slice(-2000), 0.99))
    console.log(
      `${Math.round((performance.now() - begun) / 1000)} s: ${Math.round(memory.at(-1) ?? 0)} MiB, ${tally.requests} requests, p99 of the last GETs ${p99} ms, load ${load}`,
    )
  }
  over.abort()
  const expected: Expected = new Map((await Promise.all(clients)).flatMap((own) => [...own]))
  tally.faults.push(...(await missed(watches, expected)))
} catch (error) {
  tally.faults.push(String(error))
} finally {
  await stopProcess(server)
  rmSync(folder, { recursive: true, force: true })
}

const half = memory.slice(memory.length / 2)
const [before, after] = [half.slice(0, half.length / 3), half.slice((2 * half.length) / 3)].map((part) => percentile(part, 0.5))
if (seconds >= JUDGED_S && (after ?? 0) > (before ?? 0) * GROWTH) tally.faults.push('memory grows in the second half')
const p99 = percentile(tally.gets, 0.99)
console.log(`${tally.requests} requests; p99 of ${tally.gets.length} GETs ${Math.round(p99)} ms (aim ${AIM_MS} ms)`)
console.log(`memory in the second half: ${Math.round(before ?? 0)} → ${Math.round(after ?? 0)} MiB`)
for (const fault of tally.faults.slice(0, 20)) console.log(`FAIL ${fault}`)
if (tally.faults.length > 0) process.exitCode = 1
else console.log('ok: nothing was lost')
