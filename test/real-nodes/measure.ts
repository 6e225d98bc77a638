/** The measures of `bench/real-nodes.ts`, which starts this file in namespaces of its own. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { PAUSE_IMAGE } from './make-images.ts'

const many = Number(process.argv[2] ?? 50)
const ONE_BY_ONE = 30
/** How long the agent is watched at rest. */
const REST_S = 30

const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-measure-'))
await using machine = await openMachine(folder, found)
await using cluster = await startCluster({ nodes: 0 })
await cluster.listen()
const client = cluster.client()
const [kubeconfig, config] = [path.join(folder, 'kubeconfig'), path.join(folder, 'kubelet.json')]
writeFileSync(kubeconfig, cluster.kubeconfig())
const settings = kubeletConfig(machine)
writeFileSync(config, JSON.stringify(settings))
const root = path.join(import.meta.dirname, '..', '..')
const built = path.join(root, 'dist', 'bowsprit.js')
const program = existsSync(built) ? [built] : ['--disable-warning=ExperimentalWarning', path.join(root, 'src', 'cli', 'main.ts')]
const own = ['--service-proxy=false', '--cluster-dns=false', '--network-policies=false']
const flags = ['node', '--kubeconfig', kubeconfig, '--runtime', machine.endpoint, '--name', 'node-1', '--config', config, ...own]
const agent = spawn(process.execPath, [...program, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] })

const place = { namespace: 'default' }
const isReady = ({ status }: Pod) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true
const podOf = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: PAUSE_IMAGE }] },
})

/** When each pod was Ready. */
const readyMs = new Map<string, number>()
void (async () => {
  for await (const batch of client.watch({ ...PODS, ...place }, {}))
    for (const { type, object } of batch)
      if (type !== 'BOOKMARK' && isReady(object as Pod) && !readyMs.has(object.metadata.name ?? ''))
        readyMs.set(object.metadata.name ?? '', performance.now())
})()

async function readyAfter(names: readonly string[]): Promise<number> {
  const begunMs = performance.now()
  for (const name of names) await client.create({ ...PODS, ...place }, podOf(name))
  await waitFor(() => names.every((name) => readyMs.has(name)), { timeoutMs: 180_000 })
  return Math.max(...names.map((name) => readyMs.get(name) ?? 0)) - begunMs
}

const stat = () => {
  const fields = readFileSync(`/proc/${agent.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  // Ticks of a hundredth of a second, in user and kernel mode.
  return (Number(fields[11]) + Number(fields[12])) / 100
}
const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
const at = (sorted: readonly number[], share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)

await waitFor(
  async () => (await client.list(NODES)).items.some((n) => n.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True')),
  {
    timeoutMs: 60_000,
  },
)
const times: number[] = []
for (let i = 0; i < ONE_BY_ONE; i++) {
  times.push(await readyAfter([`one-${i}`]))
  await client.delete({ ...PODS, ...place, name: `one-${i}` }, { gracePeriodSeconds: 0 })
  await sleep(300)
}
const sorted = times.toSorted((a, b) => a - b)
const together = await readyAfter(Array.from({ length: many }, (_, i) => `many-${i}`))
await sleep(REST_S * 500)
const before = stat()
await sleep(REST_S * 1000)
const figures = {
  load: os.loadavg().map((n) => Math.round(n * 10) / 10),
  'created to Ready, ms': { p50: at(sorted, 0.5), p90: at(sorted, 0.9), min: at(sorted, 0) },
  [`${many} at once, s`]: Math.round(together / 100) / 10,
  [`agent at rest with ${many} pods`]: {
    'cpu, %': Math.round(((stat() - before) / REST_S) * 1000) / 10,
    'RSS, MB': Math.round(residentMb()),
  },
  built: existsSync(built),
}
console.log(JSON.stringify(figures, null, 1))
process.exit(0)
