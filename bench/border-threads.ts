/**
 * `node bench/border-threads.ts [--gets 40000] [--clients 64] [--threads 1,2]`: what it brings and costs to do TLS and HTTP/2 in workers
 * (*border threads*), with the API server alone on its thread. A GET of one pod by so many clients, directly and through one or more
 * border threads: microseconds of CPU by thread, and the rates that those allow on more cores than this machine has, as an upper bound.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Api, openApi, percentile, pump } from './api.ts'
import { appears } from './measured-cluster.ts'
import { namespace } from './measures.ts'
import { pod } from './objects.ts'
import { rateBound, threadTimes, timesBetween } from './thread-times.ts'

const { values } = parseArgs({
  options: {
    gets: { type: 'string', default: '40000' },
    clients: { type: 'string', default: '64' },
    threads: { type: 'string', default: '1,2' },
  },
})
const [gets, clients] = [Number(values.gets), Number(values.clients)]
const PODS = 200
const WARM = 5000

for (const threads of [0, ...values.threads.split(',').map(Number)]) await measure(threads)

async function measure(threads: number): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-border-'))
  const program = path.join(import.meta.dirname, 'border-server.ts')
  const server = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, String(threads), folder], { stdio: 'inherit' })
  try {
    const ports = JSON.parse(await appears(path.join(folder, 'ports'))) as readonly number[]
    const kubeconfig = path.join(folder, 'kubeconfig')
    using direct = await openApi(kubeconfig, 4)
    const ns = await namespace(direct, 'bench')
    await pump(PODS, 64, (i) => direct.request('POST', `${ns}/pods`, pod(`p-${i}`)))
    const apis = await Promise.all(ports.map((port) => openApi(throughPort(kubeconfig, port), 4)))
    await load({
      title: threads === 0 ? 'direct' : `${threads} border threads`,
      apis: threads === 0 ? [direct] : apis,
      ns,
      pid: server.pid ?? 0,
    })
    for (const api of apis) api[Symbol.dispose]()
  } finally {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

/** The same kubeconfig for another port of the server. */
function throughPort(kubeconfig: string, port: number): string {
  const file = `${kubeconfig}-${port}`
  writeFileSync(file, readFileSync(kubeconfig, 'utf8').replace(/(server"?: "?https:\/\/[^:]+):\d+/, `$1:${port}`))
  return file
}

interface Load {
  readonly title: string
  readonly apis: readonly Api[]
  readonly ns: string
  readonly pid: number
}

async function load({ title, apis, ns, pid }: Load): Promise<void> {
  const get = async (i: number) => {
    const response = await apis[i % apis.length]?.request('GET', `${ns}/pods/p-${i % PODS}`)
    if (response?.status !== 200) throw new Error(`GET failed: ${response?.status}`)
  }
  await pump(WARM, clients, get)
  const before = threadTimes(pid)
  const own = process.cpuUsage()
  const { totalMs, each } = await pump(gets, clients, get)
  const { user, system } = process.cpuUsage(own)
  const us = new Map([...timesBetween(before, threadTimes(pid))].map(([name, total]) => [name, total / gets] as const))
  const all = [...us.values()].reduce((sum, part) => sum + part, 0)
  const parts = [...us].map(([name, part]) => `${name} ${part.toFixed(1)}`).join(', ')
  console.log(`${title}: ${Math.round(gets / (totalMs / 1000))} GETs/s, p99 ${percentile(each, 0.99).toFixed(1)} ms`)
  console.log(`  µs of CPU a GET: ${all.toFixed(1)} (${parts}); the client ${((user + system) / gets).toFixed(1)}`)
  for (const cores of [2, 4, 8]) {
    const { perSecond, by } = rateBound(us, cores)
    console.log(`  on ${cores} cores at most ${Math.round(perSecond)}/s (bound by: ${by}), the client elsewhere`)
  }
}
