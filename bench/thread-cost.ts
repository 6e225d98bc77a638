/**
 * `node bench/thread-cost.ts [--nodes 5000] [--pods 10000] [--idle 60] [--up '--threads=false'] [--root TREE]`: the CPU time of a cluster
 * by thread, first while its nodes only renew their leases, then for each pod from its creation to Running; and which rates that allows on
 * more cores than this machine has, as an upper bound. CPU time depends less on other load of the machine than rates do: compare two trees
 * in the same minutes. `--until bound` stops at the binding, `--profile` writes a CPU profile of each thread beside `--keep FOLDER`.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Api, countOf, openApi, pump } from './api.ts'
import { until } from './cluster-measures.ts'
import { residentMib } from './cpu-per-op.ts'
import { quiet, startMeasured, wait } from './measured-cluster.ts'
import { namespace } from './measures.ts'
import { node, pod } from './objects.ts'
import { rateBound, threadTimes, timesBetween } from './thread-times.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '10000' },
    warm: { type: 'string', default: '3000' },
    idle: { type: 'string', default: '60' },
    up: { type: 'string', default: '' },
    /** Of Node. */
    flags: { type: 'string', default: '' },
    /** `Running`, or `bound`: then nodes are objects without agents. */
    until: { type: 'string', default: 'running' },
    root: { type: 'string', default: path.join(import.meta.dirname, '..') },
    keep: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
})
const [nodes, pods, warm, idleS] = [values.nodes, values.pods, values.warm, values.idle].map(Number) as [number, number, number, number]
const bound = values.until === 'bound'
const folder = values.keep ?? mkdtempSync(path.join(os.tmpdir(), 'bowsprit-thread-cost-'))
mkdirSync(folder, { recursive: true })
async function leases(api: Api): Promise<number> {
  const { body } = await api.request('GET', '/metrics', undefined, undefined, 'text/plain')
  let sum = 0
  for (const line of body.toString().split('\n'))
    if (/^apiserver_request_total\{.*resource="leases"/.test(line) && /verb="(PATCH|UPDATE|PUT)"/.test(line))
      sum += Number(line.slice(line.lastIndexOf(' ')))
  return sum
}

function printTimes(times: ReadonlyMap<string, number>, format: (us: number) => string): void {
  const all = [...times.values()].reduce((sum, us) => sum + us, 0)
  for (const [name, us] of [['together', all] as const, ...times]) console.log(`  ${format(us).padStart(9)}  ${name}`)
}

async function create(prefix: string, count: number): Promise<number> {
  const text = bound ? '"nodeName":"' : '"phase":"Running"'
  return until(server.kubeconfig, ns, text, count, async () => {
    await pump(count, 64, (i) => api.request('POST', `${ns}/pods`, pod(`${prefix}-${i}`)))
  })
}

const server = await startMeasured({
  folder,
  profile: 'threads.cpuprofile',
  root: values.root,
  nodes: bound ? 0 : nodes,
  flags: values.flags.split(' ').filter((flag) => flag !== ''),
  up: [...(bound ? ['--parts', 'server,scheduler'] : []), ...values.up.split(' ').filter((flag) => flag !== '')],
  env: { PROFILE_THREADS: '1' },
})
using api = await openApi(server.kubeconfig, 4)
if (bound) {
  await pump(nodes, 64, (i) => api.request('POST', '/api/v1/nodes', node(`n-${i}`)))
  // What controllers would do: remove the taint that new nodes have.
  await pump(nodes, 64, (i) => api.request('PATCH', `/api/v1/nodes/n-${i}`, '{"spec":{"taints":null}}', 'application/merge-patch+json'))
}
while ((await countOf(api, '/api/v1/nodes')) < nodes) await wait(100)
const ns = await namespace(api, 'bench')
await wait(15_000)
await quiet(api, 1000)

if (idleS > 0) {
  const [renewedBefore, before, begun] = [await leases(api), threadTimes(server.pid), performance.now()]
  if (values.profile) server.child.kill('SIGUSR2')
  await wait(idleS * 1000)
  if (values.profile) server.child.kill('SIGUSR2')
  const used = timesBetween(before, threadTimes(server.pid))
  const ms = performance.now() - begun
  const renewed = (await leases(api)) - renewedBefore
  const all = [...used.values()].reduce((sum, us) => sum + us, 0)
  console.log(
    `idle, ${nodes} nodes: ${Math.round(renewed / (ms / 1000))} leases a second, ${Math.round(all / renewed)} µs each; % of a core:`,
  )
  printTimes(used, (us) => `${(us / ms / 10).toFixed(1)} %`)
  console.log(`memory: ${residentMib(server.pid).toFixed(0)} MiB`)
}
if (pods > 0) {
  await create('warm', warm)
  await quiet(api, 500)
  const before = threadTimes(server.pid)
  if (values.profile && idleS === 0) server.child.kill('SIGUSR2')
  const ms = await create('p', pods)
  if (values.profile && idleS === 0) server.child.kill('SIGUSR2')
  const each = new Map([...timesBetween(before, threadTimes(server.pid))].map(([name, us]) => [name, us / pods]))
  console.log(`${pods} pods on ${nodes} nodes, ${Math.round((pods / ms) * 1000)}/s with the client beside it; µs of CPU a pod:`)
  printTimes(each, (us) => us.toFixed(0))
  for (const cores of [1, 2, 4, 8, 16]) {
    const { perSecond, by } = rateBound(each, cores)
    console.log(`  on ${cores} cores at most ${Math.round(perSecond)}/s (bound by: ${by})`)
  }
  console.log(`memory: ${residentMib(server.pid).toFixed(0)} MiB`)
}
if (values.profile)
  console.log(
    `profiles: ${readdirSync(folder)
      .filter((name) => name.includes('cpuprofile'))
      .join(' ')} in ${folder}`,
  )
await server.stop()
if (values.keep === undefined && !values.profile) rmSync(folder, { recursive: true })
process.exit(0)
