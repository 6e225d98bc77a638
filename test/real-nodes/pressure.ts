/** The tests of `pressure.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { NODES } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { createPod, hasEnded, isReady, LASTS, reached, removed } from './real-pods.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)

const start = (settings: object, dataDir?: string) =>
  startCluster({
    runtime: machine.endpoint,
    kubeletConfig: kubeletConfig(machine, settings),
    ...(dataDir !== undefined && { dataDir }),
  })

/** Killed, it does not end well: by one that ends with 0 an evicted pod would have succeeded, as at a kubelet. */
const WRITES = (file: string) => ['sh', '-c', `head -c 4194304 /dev/zero > ${file}; while :; do sleep 1 & wait $!; done`]
const SLEEPS = ['sleep', '1000']
const evicted = async (client: Client, name: string) => {
  const { status } = await reached(client, name, hasEnded)
  return [status?.phase, status?.reason, status?.message]
}

test('a pod that passes a limit of local storage is evicted: of a volume, of a container, of logs', async () => {
  await using cluster = await start({ volumeStatsAggPeriod: '1s' })
  const client = cluster.client()
  const limits = { 'ephemeral-storage': '1Mi' }
  await createPod(client, 'volume', {
    containers: [{ name: 'main', image, command: WRITES('/e/x'), volumeMounts: [{ name: 'e', mountPath: '/e' }] }],
    volumes: [{ name: 'e', emptyDir: { sizeLimit: '1Mi' } }],
  })
  await createPod(client, 'layer', { containers: [{ name: 'main', image, command: WRITES('/tmp/x'), resources: { limits } }] })
  await createPod(client, 'logs', { containers: [{ name: 'main', image, command: WRITES('/proc/self/fd/1'), resources: { limits } }] })
  await createPod(client, 'modest', { containers: [{ name: 'main', image, command: LASTS, resources: { limits } }] })
  assert.deepEqual(await evicted(client, 'volume'), ['Failed', 'Evicted', 'Usage of EmptyDir volume "e" exceeds the limit "1Mi". '])
  const over = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. '
  assert.deepEqual(await evicted(client, 'layer'), ['Failed', 'Evicted', over])
  assert.deepEqual(await evicted(client, 'logs'), ['Failed', 'Evicted', over])
  await reached(client, 'modest', isReady)
  for (const name of ['volume', 'layer', 'logs', 'modest']) await removed(client, name)
})

const pressure = async (client: Client, type: string) =>
  (await client.get({ ...NODES, name: 'node-1' })).status?.conditions?.find((c) => c.type === type)?.status

test('a node that starts with too little memory refuses pods without requests, as the kubelet does, and evicts what uses more than it asked for', async () => {
  const dataDir = path.join(folder, 'memory')
  const own = { requests: { memory: '16Ki' }, limits: { memory: '64Mi' } }
  {
    await using cluster = await start({}, dataDir)
    const client = cluster.client()
    assert.equal(await pressure(client, 'MemoryPressure').catch(() => 'False'), 'False')
    await createPod(client, 'asks', { containers: [{ name: 'main', image, command: SLEEPS, resources: own }] })
    await createPod(client, 'greedy', { containers: [{ name: 'main', image, command: SLEEPS }] })
    for (const name of ['asks', 'greedy']) await reached(client, name, isReady)
  }
  await using cluster = await start({ evictionHard: { 'memory.available': `${Math.floor(os.totalmem() / 1024) - 1}Ki` } }, dataDir)
  const client = cluster.client()
  const reasonOf = async (name: string) => {
    const { status } = await reached(client, name, hasEnded)
    return `${status?.reason}: ${status?.message}`
  }
  assert.equal(await reasonOf('greedy'), 'Evicted: Pod was rejected: The node had condition: [MemoryPressure]. ')
  assert.match(
    await reasonOf('asks'),
    /^Evicted: The node was low on resource: memory\. Threshold quantity: .*, available: .*\. Container main was using .*, request is 16Ki, has larger consumption of memory\. $/,
  )
  await waitFor(async () => (await pressure(client, 'MemoryPressure')) === 'True', { timeoutMs: 60_000 })
  for (const name of ['asks', 'greedy']) await removed(client, name)
})

test('a node whose disk runs short removes images that nothing uses', async () => {
  const images = () =>
    machine
      .ctr('images', 'ls', '-q')
      .trim()
      .split('\n')
      .filter((name) => name.includes('nonroot'))
  assert.equal(images().length, 1)
  await using cluster = await start({ evictionHard: { 'nodefs.available': '99.9%' } })
  const client = cluster.client()
  await waitFor(() => images().length === 0, { timeoutMs: 60_000 })
  await waitFor(async () => (await pressure(client, 'DiskPressure')) === 'True', { timeoutMs: 60_000 })
})

test.after(() => machine[Symbol.asyncDispose]())
