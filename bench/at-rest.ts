/**
 * `node bench/at-rest.ts [--nodes 2000] [--stages 10000,20000,40000]`: what running pods weigh when nothing happens to them any more, and
 * what CPU they cost then. Each stage is measured when what stood for a while is packed; the differences between stages are what a pod
 * costs, without what is fixed. `--profile` adds where the CPU at rest goes, `--snapshot` with `--keep FOLDER` a heap snapshot of the last
 * stage.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { countOf, openApi, pump } from './api.ts'
import { cpuUs, residentMib } from './cpu-per-op.ts'
import { appears, quiet, startMeasured, wait } from './measured-cluster.ts'
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
const flags = values.flags.split(' ').filter((flag) => flag !== '')
const { root } = values
const server = await startMeasured({ folder, profile: 'rest.cpuprofile', root, nodes, flags, env: { HEAP_SNAPSHOT: '0' } })
const { child, pid, profileFile } = server
using api = await openApi(server.kubeconfig, 4)

/** A server that is crowded may refuse a stream: then the same is asked again. */
async function make(i: number): Promise<void> {
  for (;;) {
    const answer = await api.request('POST', '/api/v1/namespaces/default/pods', pod(`p-${i}`)).catch(() => undefined)
    if (answer !== undefined && answer.status < 400) return
    if (answer?.status === 409) return
    await wait(100)
  }
}

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
  const resident = residentMib(pid)
  return { pods, residentMb: resident, memory: await server.memory(), cpuPercent }
}

const mb = (bytes: number) => (bytes / (1 << 20)).toFixed(0)

while ((await countOf(api, '/api/v1/nodes')) < nodes) await wait(200)
await wait(5000)
const weights: Weight[] = []
let made = 0
for (const stage of [0, ...values.stages.split(',').map(Number)]) {
  const from = made
  await pump(stage - from, 64, (i) => make(from + i))
  made = stage
  await quiet(api, 1000)
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
await server.stop()
if (values.keep === undefined) rmSync(folder, { recursive: true })
process.exit(0)
