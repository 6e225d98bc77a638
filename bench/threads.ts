/**
 * `node bench/threads.ts [--base TREE] [--rounds N] [--nodes N] [--pods N]`: what threads bring and cost. Each round measures the base
 * tree (where one is named), this tree in one thread, and this tree with threads, one after the other, so that they share the load of the
 * machine; the medians of all rounds are printed. Build the trees first.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Api, countOf, openApi, percentile, pump } from './api.ts'
import { programOf, startProgram, stopProcess, until } from './cluster-measures.ts'
import { residentMib } from './cpu-per-op.ts'
import { wait } from './measured-cluster.ts'
import { pod } from './objects.ts'

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    nodes: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '20000' },
  },
})
const [rounds, nodes, pods] = [Number(values.rounds), Number(values.nodes), Number(values.pods)]
const READERS = 16

interface Variant {
  readonly name: string
  readonly program: string
  readonly flags: readonly string[]
}

const tree = path.join(import.meta.dirname, '..')
const VARIANTS: readonly Variant[] = [
  ...(values.base === undefined ? [] : [{ name: 'base', program: programOf(values.base), flags: [] }]),
  { name: 'one thread', program: programOf(tree), flags: ['--threads=false'] },
  { name: 'threads', program: programOf(tree), flags: ['--threads=true'] },
]

/** Numbers of one round, by measure. */
type Figures = Readonly<Record<string, number>>

async function atRest({ program, flags }: Variant): Promise<Figures> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-threads-'))
  const first = await startProgram(program, folder, flags)
  await stopProcess(first)
  const second = await startProgram(program, folder, flags)
  await wait(10_000)
  const mib = residentMib(second.child.pid ?? 0)
  await stopProcess(second)
  rmSync(folder, { recursive: true })
  return { 'start to first response, ms': second.firstMs, 'memory at rest, MB': mib }
}

async function underLoad({ program, flags }: Variant): Promise<Figures> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-threads-'))
  const started = await startProgram(program, folder, [...flags, '--nodes', String(nodes)])
  using api = await openApi(started.kubeconfig, 4)
  while ((await countOf(api, '/api/v1/nodes')) < nodes) await wait(100)
  await wait(5000)
  const bound = await rate(api, started.kubeconfig, { namespace: 'bound', text: '"nodeName":"' })
  await wait(10_000)
  const reading = new AbortController()
  const reads = readUntil(reading.signal, started.kubeconfig)
  const running = await rate(api, started.kubeconfig, { namespace: 'running', text: '"phase":"Running"' })
  reading.abort()
  const each = await reads
  const mib = residentMib(started.child.pid ?? 0)
  await stopProcess(started)
  rmSync(folder, { recursive: true })
  return {
    'created → bound, /s': bound,
    [`created → Running beside ${READERS} readers, /s`]: running,
    'GETs beside it, /s': each.perSecond,
    'p99 of such a GET, ms': percentile(each.each, 0.99),
    'memory afterwards, MB': mib,
  }
}

/** Creates the pods by 64 clients, in a namespace of their own; how many a second a watch has seen with this text. */
async function rate(
  api: Api,
  kubeconfig: string,
  { namespace, text }: { readonly namespace: string; readonly text: string },
): Promise<number> {
  const collection = `/api/v1/namespaces/${namespace}`
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  await api.request('POST', '/api/v1/namespaces', JSON.stringify(body))
  while ((await api.request('GET', `${collection}/serviceaccounts/default`)).status !== 200) await wait(50)
  const ms = await until(kubeconfig, collection, text, pods, async () => {
    await pump(pods, 64, (i) => api.request('POST', `${collection}/pods`, pod(`p-${i}`)))
  })
  return (pods / ms) * 1000
}

/** GETs of one object by clients that wait for each response, until the signal is aborted. */
async function readUntil(
  signal: AbortSignal,
  kubeconfig: string,
): Promise<{ readonly each: readonly number[]; readonly perSecond: number }> {
  using api = await openApi(kubeconfig, 4)
  const each: number[] = []
  const begun = performance.now()
  const reader = async () => {
    while (!signal.aborted) {
      const requested = performance.now()
      await api.request('GET', '/api/v1/namespaces/kube-system')
      each.push(performance.now() - requested)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return { each, perSecond: (each.length / (performance.now() - begun)) * 1000 }
}

const found = new Map<string, Map<string, number[]>>()
for (let round = 1; round <= rounds; round++) {
  for (const variant of VARIANTS) {
    const figures = { ...(await atRest(variant)), ...(await underLoad(variant)) }
    const load = os.loadavg()[0]?.toFixed(1)
    console.log(
      `round ${round}, ${variant.name}, load ${load}: ${Object.entries(figures)
        .map(([name, n]) => `${name} ${Math.round(n)}`)
        .join('; ')}`,
    )
    for (const [name, number] of Object.entries(figures)) {
      const row = found.get(name) ?? new Map<string, number[]>()
      found.set(name, row.set(variant.name, [...(row.get(variant.name) ?? []), number]))
    }
  }
}
console.log(`\n| | ${VARIANTS.map(({ name }) => name).join(' | ')} |\n|---|${VARIANTS.map(() => '---|').join('')}`)
for (const [name, row] of found)
  console.log(`| ${name} | ${VARIANTS.map((variant) => Math.round(percentile(row.get(variant.name) ?? [], 0.5))).join(' | ')} |`)
