/**
 * Devices: many agents in one process, and what one agent takes for a registration, an allocation, a restart. `npm run bench -- devices`.
 */
import { spawnSync } from 'node:child_process'
import { systemClock } from '../src/base/clock.ts'
import { NODES } from '../src/resources/refs.ts'
import { serveDevicePlugin } from '../src/sdk/device-plugin/serve-device-plugin.ts'
import { container, openDeviceNode } from '../src/testing/device-plugin-trial/trial-node.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import type { Result } from './measures.ts'

const AGENTS = 1000
const PODS = 100

export async function devices(): Promise<Result[]> {
  return [...manyAgents(), ...(await oneAgent())]
}

/** In a process of its own, to measure its memory alone. */
function manyAgents(): Result[] {
  const { stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename, 'agents'], {
    encoding: 'utf8',
  })
  const [seconds = '?', megabytes = '?', cpu = '?'] = stdout.trim().split(' ')
  if (seconds === '?') console.error(stderr)
  return [
    {
      measure: `${AGENTS} agents with their sockets and 8 devices each, in one process`,
      value: `${seconds} s (${cpu} s of CPU)`,
      aim: '≤ 10 s',
      upstream: '–',
    },
    { measure: 'the same: resident memory', value: `${megabytes} MB`, aim: '≤ 600 MB', upstream: '–' },
  ]
}

async function agents(): Promise<void> {
  const began = performance.now()
  const devices = { devices: [{ resource: 'example.com/dongle', count: 8 }] }
  const cluster = await startCluster({ nodes: AGENTS, parts: ['server', 'nodes'], devices })
  const client = cluster.client()
  for (let ready = 0; ready < AGENTS; ) {
    await systemClock.sleep(200)
    const { items } = await client.list(NODES)
    ready = items.filter((n) => n.status?.allocatable?.['example.com/dongle'] === '8').length
  }
  const cpu = process.cpuUsage()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${seconds} ${Math.round(process.memoryUsage().rss / 1e6)} ${((cpu.user + cpu.system) / 1e6).toFixed(1)}`)
  process.exit(0)
}

export async function oneAgent(): Promise<Result[]> {
  await using node = await openDeviceNode()
  const plugin = {
    resource: 'example.com/dongle',
    discover: () => Array.from({ length: PODS * 2 }, (_, i) => ({ id: `d${i}` })),
    allocate: (ids: readonly string[]) => ({ env: { IDS: ids.join(',') } }),
  }
  const times: number[] = []
  for (let i = 0; i < 10; i++) {
    const began = performance.now()
    const served = await serveDevicePlugin(plugin, { folder: node.folders.plugins })
    await node.shows(String(PODS * 2), String(PODS * 2))
    times.push(performance.now() - began)
    await served[Symbol.asyncDispose]()
    await node.shows(String(PODS * 2), '0')
  }
  await using _ = await serveDevicePlugin(plugin, { folder: node.folders.plugins })
  await node.shows(String(PODS * 2), String(PODS * 2))
  const pod = (i: number, count: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `probe-${i}`, namespace: 'default', uid: `probe-${i}` },
    spec: { containers: [{ name: 'main', image: 'app', resources: { limits: { 'example.com/dongle': String(count) } } }] },
    status: {},
  })
  for (let i = 0; i < PODS; i++) await node.create(`pod-${i}`, { containers: [container('main', 1)] })
  for (let i = 0; i < PODS; i++) await node.phase(`pod-${i}`, 'Running')
  const allocations: number[] = []
  const cpuBefore = process.cpuUsage()
  for (let i = 0; i < 200; i++) {
    const one = pod(i, 1)
    const began = performance.now()
    await node.devices.manager.prepare({ pod: one, runs: false }, new AbortController().signal)
    allocations.push(performance.now() - began)
    node.devices.manager.release(one)
  }
  const cpu = process.cpuUsage(cpuBefore)
  const cpuMs = (cpu.user + cpu.system) / 1000 / 200
  const restarts: number[] = []
  for (let i = 0; i < 5; i++) {
    await node.stop()
    const began = performance.now()
    await node.start()
    await node.until('all pods are taken up', () => node.taken === PODS)
    restarts.push(performance.now() - began)
  }
  return [
    {
      measure: 'registration to allocatable (median of 10)',
      value: `${median(times).toFixed(0)} ms`,
      aim: '≤ 50 ms',
      upstream: '530 ms (recorded)',
    },
    {
      measure: `Allocate of a pod, ${PODS} others running (median of 200)`,
      value: `${median(allocations).toFixed(2)} ms (${cpuMs.toFixed(2)} ms of CPU, the plugin's included)`,
      aim: '≤ 2 ms',
      upstream: '–',
    },
    {
      measure: `restart of an agent with ${PODS} pods (median of 5)`,
      value: `${median(restarts).toFixed(0)} ms`,
      aim: '≤ 300 ms',
      upstream: '–',
    },
  ]
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

if (process.argv[1] === import.meta.filename) await agents()
