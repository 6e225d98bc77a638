/** The topology manager of a cluster: devices and CPUs from one NUMA node, in-place resize, restarts, and invalid configurations. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { whyNodeText } from '../../src/cli/why/node-text.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import type { TopologyReport } from '../../src/resources/bowsprit/topology-report.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const MACHINE = { apiVersion: 'bowsprit.dev/v1', kind: 'Machine', sockets: 2, coresPerNumaNode: 4, memoryPerNumaNode: '8Gi' }
const kubelet = (more: JsonObject): JsonObject => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  cpuManagerPolicy: 'static',
  reservedSystemCPUs: '0',
  ...more,
})

function podOf(name: string, limits: Readonly<Record<string, string>>): Pod {
  const containers = [{ name: 'main', image: 'app', resources: { limits: { memory: '1Gi', ...limits } } }]
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: { containers } }
}

async function run(client: Client, name: string, limits: Readonly<Record<string, string>>): Promise<Pod> {
  await client.create({ ...PODS, namespace: 'default' }, podOf(name, limits))
  return settled(client, name)
}

const settled = (client: Client, name: string) =>
  waitFor(async () => {
    const pod = await client.get({ ...PODS, namespace: 'default', name })
    return pod.status?.phase === 'Running' || pod.status?.phase === 'Failed' ? pod : undefined
  })

const report = (client: Client, name: string) =>
  client.get<TopologyReport>({ group: 'bowsprit.dev', version: 'v1', resource: 'topologyreports', namespace: 'default', name })

test('a device and processors come from one NUMA node, or the pod is turned away', async () => {
  const devices = [
    { resource: 'example.com/nowhere', count: 1 },
    { resource: 'example.com/near', count: 2, numaNode: 1 },
    { resource: 'example.com/far', count: 2, numaNode: 0 },
  ]
  const options = {
    nodes: 1,
    machine: MACHINE,
    kubeletConfig: kubelet({ topologyManagerPolicy: 'single-numa-node' }),
    devices: { devices },
  }
  await using cluster = await startCluster(options)
  const client = cluster.client()
  await waitFor(async () => (await client.get({ ...NODES, name: 'node-1' })).status?.allocatable?.['example.com/near'] === '2')
  const near = await run(client, 'near', { cpu: '2', 'example.com/near': '1' })
  assert.equal(near.status?.phase, 'Running')
  const reported = await report(client, 'near')
  const own = (id: number) => reported.numaNodes[id]?.cpus.filter((c) => c.use === 'own').length
  assert.deepEqual([own(0), own(1)], [0, 2], 'its processors are where its device is')
  assert.deepEqual(reported.decisions[0]?.hints.map((h) => [h.provider, h.resource, h.hints]).slice(0, 1), [
    [
      'devices',
      'example.com/near',
      [
        { mask: '10', preferred: true },
        { mask: '11', preferred: false },
      ],
    ],
  ])
  await cluster.node('node-1').devices.fail('example.com/near-1')
  const text = await waitFor(async () => {
    const now = whyNodeText(await report(client, 'near'))
    return now.includes('!') && now
  })
  assert.match(text, /^pod default\/near: on node node-1: main has 2 processors and 1 example.com\/near for itself\n/)
  const drawn = text.split('\n').filter((line) => line.startsWith('  example.com'))
  assert.deepEqual(drawn, [
    '  example.com/far  [.] [.]  2 free of 2',
    '  example.com/near  [#] [.!]  near-0 of this pod, 1 unhealthy, 0 free of 2',
    '  example.com/nowhere  [.]  1 free of 1',
  ])
  assert.match(text, /\nOf no NUMA node\n {2}example.com\/nowhere/)
  await cluster.node('node-1').devices.recover('example.com/near-1')
  await waitFor(async () => !whyNodeText(await report(client, 'near')).includes('!'))
  const torn = await run(client, 'torn', { cpu: '1', 'example.com/near': '1', 'example.com/far': '1' })
  assert.equal(torn.status?.reason, 'TopologyAffinityError')
  const after = await run(client, 'after', { cpu: '1', 'example.com/near': '1' })
  assert.equal(after.status?.phase, 'Running', 'who was turned away holds nothing')
})

test('a pod with exclusive CPUs is not resized in place', async () => {
  await using cluster = await startCluster({ nodes: 1, machine: MACHINE, kubeletConfig: kubelet({}) })
  const client = cluster.client()
  await run(client, 'pinned', { cpu: '2' })
  const amounts = { cpu: '3', memory: '1Gi' }
  const containers = [{ name: 'main', resources: { requests: amounts, limits: amounts } }]
  const target = { ...PODS, namespace: 'default', name: 'pinned' }
  await client.patch({ ...target, subresource: 'resize' }, 'strategic', { spec: { containers } })
  const pending = await waitFor(async () => {
    const conditions: readonly { type: string; reason?: string; message?: string }[] = (await client.get(target)).status?.conditions ?? []
    return conditions.find((c) => c.type === 'PodResizePending')
  })
  const message = 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"'
  assert.deepEqual([pending.reason, pending.message], ['Infeasible', message])
})

test('what pods hold is written to the data folder, and theirs again in the next run; another policy is refused', async (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-topology-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const options = { nodes: 1, machine: MACHINE, kubeletConfig: kubelet({}), dataDir, ephemeral: false }
  const file = path.join(dataDir, 'kubelet', 'cpu_manager_state')
  {
    await using cluster = await startCluster(options)
    await run(cluster.client(), 'pinned', { cpu: '2' })
  }
  const { defaultCpuSet, entries } = JSON.parse(readFileSync(file, 'utf8'))
  assert.equal(Object.keys(entries).length, 1)
  {
    await using cluster = await startCluster(options)
    const other = await run(cluster.client(), 'other', { cpu: '1' })
    const now = JSON.parse(readFileSync(file, 'utf8'))
    const [uid = ''] = Object.keys(entries)
    assert.deepEqual(now.entries[uid], entries[uid])
    assert.equal(Object.keys(now.entries[other.metadata.uid ?? '']).length, 1)
    assert.notEqual(now.defaultCpuSet, defaultCpuSet)
  }
  const none = startCluster({ ...options, kubeletConfig: kubelet({ cpuManagerPolicy: 'none' }) })
  await assert.rejects(none, { name: 'ConfigError', message: /configured policy "none" differs from state checkpoint policy "static"/ })
  writeFileSync(file, '{')
  await assert.rejects(startCluster(options), { name: 'ConfigError', message: /unexpected end of JSON input, please drain this node/ })
})

test('a configuration or a machine that makes no sense is refused before anything starts', async () => {
  const refused = async (options: JsonObject, message: RegExp) =>
    assert.rejects(startCluster({ nodes: 1, ...options } as Parameters<typeof startCluster>[0]), { name: 'ConfigError', message })
  await refused({ kubeletConfig: kubelet({ cpuManagerPolcy: 'static' }) }, /unknown field "cpuManagerPolcy"/)
  await refused(
    { kubeletConfig: kubelet({ topologyManagerPolicy: 'best' }) },
    /must be one of: \["none" "best-effort" "restricted" "single-numa-node"\]/,
  )
  await refused({ kubeletConfig: kubelet({ reservedSystemCPUs: '0,99' }) }, /reserved-cpus: 0,99 is not a subset of online-cpus: 0-7/)
  await refused({ machine: { ...MACHINE, sockets: 0 } }, /--machine: sockets is 0/)
  await refused(
    { machine: { ...MACHINE, sockets: 9 }, kubeletConfig: kubelet({ topologyManagerPolicy: 'restricted' }) },
    /unsupported on machines with more than 8 NUMA Nodes/,
  )
})
