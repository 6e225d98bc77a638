/** The measures of `bench/real-nodes.ts`, which starts this file in namespaces of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODES, PODS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { PAUSE_IMAGE } from './make-images.ts'
import { WITHOUT_NETWORK } from './node-process.ts'
import { coverKernelSettings, prepareGroup, realKubeletSettings } from './real-kubelet.ts'
import { isReady } from './real-pods.ts'

const many = Number(process.argv[2] ?? 50)
/** The real kubelet, to be measured beside. */
const kubelet = process.argv[3] || undefined
const oneByOne = Number(process.argv[4] ?? 30)
/** How long the agent is watched at rest. */
const REST_S = 30

const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-measure-'))
await using machine = await openMachine(folder, found)
await using cluster = await startCluster({ nodes: 0 })
await cluster.listen()
const client = cluster.client()
const kubeconfig = path.join(folder, 'kubeconfig')
writeFileSync(kubeconfig, cluster.kubeconfig())
const root = path.join(import.meta.dirname, '..', '..')
const built = path.join(root, 'dist', 'bowsprit.js')

interface Measured {
  readonly name: string
  readonly command: readonly string[]
  readonly settings: object
}

const ours: Measured = {
  name: 'bowsprit',
  command: [
    process.execPath,
    ...(existsSync(built) ? [built] : ['--disable-warning=ExperimentalWarning', path.join(root, 'src', 'cli', 'main.ts')]),
    ...['node', '--runtime', machine.endpoint, '--kubeconfig', kubeconfig, ...WITHOUT_NETWORK, '--name'],
  ],
  settings: {},
}
const theirs = (program: string): Measured => ({
  name: 'kubelet',
  command: [program, '--kubeconfig', kubeconfig, '--root-dir', path.join(folder, 'kubelet-root'), '--hostname-override'],
  settings: realKubeletSettings(machine),
})

const place = { namespace: 'default' }

/** When each pod was Ready. */
const readyMs = new Map<string, number>()
void (async () => {
  for await (const batch of client.watch({ ...PODS, ...place }, {}))
    for (const { type, object } of batch)
      if (type !== 'BOOKMARK' && isReady(object) && !readyMs.has(object.metadata.name ?? ''))
        readyMs.set(object.metadata.name ?? '', performance.now())
})()

async function readyAfter(names: readonly string[], nodeName: string): Promise<number> {
  const begunMs = performance.now()
  for (const name of names) {
    const spec = { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: PAUSE_IMAGE }] }
    await client.create({ ...PODS, ...place }, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
  }
  await waitFor(() => names.every((name) => readyMs.has(name)), { timeoutMs: 180_000 })
  return Math.max(...names.map((name) => readyMs.get(name) ?? 0)) - begunMs
}

/** Seconds of a processor, in user and kernel mode; the kernel counts hundredths. */
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
/** Megabytes: `VmRSS`, or `RssAnon`, without the pages of program files. */
function memoryMb({ pid }: ChildProcess, kind: 'VmRSS' | 'RssAnon'): number {
  const [, kib = '0'] = new RegExp(`${kind}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kib) / 1024)
}
const at = (sorted: readonly number[], share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
const load = () => os.loadavg().map((n) => Math.round(n * 10) / 10)

async function measure({ name, command, settings }: Measured) {
  const nodeName = `node-of-${name}`
  const config = path.join(folder, `${name}.json`)
  writeFileSync(config, JSON.stringify(kubeletConfig(machine, { cgroupRoot: `${machine.cgroupRoot}/${name}`, ...settings })))
  prepareGroup(`${machine.cgroupRoot}/${name}`)
  const log = openSync(path.join(folder, `${name}.log`), 'w')
  const [program = '', ...args] = command
  const before = load()
  const agent = spawn(program, [...args, nodeName, '--config', config], { stdio: ['ignore', log, log] })
  const node = () => client.get({ ...NODES, name: nodeName }).catch(() => undefined)
  await waitFor(async () => isReady(await node()), {
    timeoutMs: 60_000,
  })
  const times: number[] = []
  for (let i = 0; i < oneByOne; i++) {
    times.push(await readyAfter([`${name}-one-${i}`], nodeName))
    await client.delete({ ...PODS, ...place, name: `${name}-one-${i}` }, { gracePeriodSeconds: 0 })
    await sleep(300)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const names = Array.from({ length: many }, (_, i) => `${name}-many-${i}`)
  const together = await readyAfter(names, nodeName)
  await sleep(REST_S * 500)
  const used = cpuSeconds(agent)
  await sleep(REST_S * 1000)
  const figures = {
    'load before and after': [before, load()],
    'created to Ready, ms': { p50: at(sorted, 0.5), p90: at(sorted, 0.9), min: at(sorted, 0) },
    [`${many} at once, s`]: Math.round(together / 100) / 10,
    [`at rest with ${many} pods`]: {
      'cpu, %': Math.round(((cpuSeconds(agent) - used) / REST_S) * 1000) / 10,
      'RSS, MB': memoryMb(agent, 'VmRSS'),
      'without program files, MB': memoryMb(agent, 'RssAnon'),
    },
  }
  for (const own of names) await client.delete({ ...PODS, ...place, name: own }, { gracePeriodSeconds: 0 })
  await waitFor(() => machine.ctr('containers', 'ls', '-q').trim() === '', { timeoutMs: 120_000 })
  agent.kill('SIGKILL')
  await once(agent, 'exit')
  await client.delete({ ...NODES, name: nodeName })
  return figures
}

if (kubelet !== undefined) coverKernelSettings(folder)
console.log(JSON.stringify({ built: existsSync(built) }))
for (const one of [ours, ...(kubelet === undefined ? [] : [theirs(kubelet)])]) {
  const figures = await measure(one).catch(
    (error) => `${error}: ${readFileSync(path.join(folder, `${one.name}.log`), 'utf8').slice(-1500)}`,
  )
  console.log(JSON.stringify({ [one.name]: figures }, null, 1))
}
process.exit(0)
