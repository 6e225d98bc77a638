/** The tests of `devices.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { NodeReport } from '../../src/resources/bowsprit/node-report.ts'
import { NODES, PODS, RESOURCE_CLAIMS } from '../../src/resources/refs.ts'
import type { Pod, ResourceRequirements } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { serveDevicePlugin } from '../../src/sdk/device-plugin/serve-device-plugin.ts'
import { serveDraDriver } from '../../src/sdk/dra-plugin/serve-dra-driver.ts'
import { connectUnix } from '../../src/sdk/grpc/connect-unix.ts'
import { POD_RESOURCES } from '../../src/sdk/node-api/pod-resources.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { createPod, DEFAULT, hasEnded, isReady, LASTS, reached, removed, run } from './real-pods.ts'

const KUBELET = '/var/lib/kubelet'
const RESOURCE = 'example.com/dongle'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)

const start = (settings: object = {}): Promise<Cluster> =>
  startCluster({
    runtime: machine.endpoint,
    kubeletConfig: kubeletConfig(machine, settings),
  })

async function allocatable(client: Client, resource: string): Promise<string | undefined> {
  return (await client.get({ ...NODES, name: 'node-1' })).status?.allocatable?.[resource]
}

/** What `PodResources` says of the containers of a pod. */
async function resourcesOf(podName: string) {
  using resources = await connectUnix(path.join(KUBELET, 'pod-resources', 'kubelet.sock'), { clock: systemClock })
  const { podResources } = await resources.call(
    POD_RESOURCES.get,
    { podName, podNamespace: 'default' },
    { timeoutMs: 10_000, signal: AbortSignal.timeout(10_000) },
  )
  return podResources?.containers ?? []
}

const main = (resources: ResourceRequirements, command = LASTS) => ({ name: 'main', image, command, resources })

/** The container's configuration as the runtime got it. */
function requestOf(pod: Pod): { readonly annotations: Readonly<Record<string, string>> } {
  const id = pod.status?.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? ''
  const { Extensions } = JSON.parse(machine.ctr('containers', 'info', id))
  const kept = Buffer.from(Extensions['io.cri-containerd.container.metadata'].value, 'base64').toString()
  return JSON.parse(kept).Metadata.Config
}

test('a device plugin gives a real container its device file, mount, variable and annotation; they outlive a restart of the node', async () => {
  const given = path.join(folder, 'given')
  mkdirSync(given)
  writeFileSync(path.join(given, 'key'), 'secret of the dongle')
  const started: string[] = []
  await using plugin = await serveDevicePlugin(
    {
      resource: RESOURCE,
      discover: () => [{ id: 'a' }, { id: 'b', healthy: false }],
      allocate: (ids) => ({
        env: { DONGLES: ids.join(',') },
        devices: [{ hostPath: '/dev/null', containerPath: '/dev/dongle', permissions: 'rw' }],
        mounts: [{ hostPath: given, containerPath: '/etc/dongle', readOnly: true }],
        annotations: { 'example.com/dongle': ids.join(',') },
      }),
      preStart: (ids) => void started.push(...ids),
    },
    { folder: path.join(KUBELET, 'device-plugins') },
  )
  const dataDir = path.join(folder, 'devices')
  const begin = () => startCluster({ runtime: machine.endpoint, dataDir, kubeletConfig: kubeletConfig(machine) })
  const expected = [{ resourceName: RESOURCE, deviceIds: ['a'] }]
  const listed = async () => (await resourcesOf('uses'))[0]?.devices.map(({ resourceName, deviceIds }) => ({ resourceName, deviceIds }))
  {
    await using cluster = await begin()
    const client = cluster.client()
    await plugin.registered
    await waitFor(async () => (await allocatable(client, RESOURCE)) === '1', { timeoutMs: 60_000 })
    await createPod(client, 'uses', { containers: [main({ limits: { [RESOURCE]: '1' } })] })
    const pod = await reached(client, 'uses', isReady)
    const seen = await run(
      client,
      'uses',
      'echo $DONGLES; cat /etc/dongle/key; echo; echo gone > /dev/dongle && stat -c "%F %t:%T" /dev/dongle; touch /etc/dongle/x 2>&1 | grep -o Read-only; cat /dev/zero > /dev/full',
    )
    assert.deepEqual(seen.out.trim().split('\n'), ['a', 'secret of the dongle', 'character special file 1:3', 'Read-only'])
    assert.equal(requestOf(pod).annotations['example.com/dongle'], 'a')
    assert.deepEqual(started, ['a'])
    assert.deepEqual(await listed(), expected)
  }
  await using cluster = await begin()
  const client = cluster.client()
  await waitFor(async () => (await allocatable(client, RESOURCE)) === '1', { timeoutMs: 60_000 })
  await waitFor(async () => (await listed())?.length === 1, { timeoutMs: 60_000 })
  assert.deepEqual(await listed(), expected)
  await createPod(client, 'second', { containers: [main({ limits: { [RESOURCE]: '1' } })] })
  const unschedulable = await reached(client, 'second', ({ status }) => status?.conditions?.[0]?.reason === 'Unschedulable')
  assert.match(unschedulable.status?.conditions?.[0]?.message ?? '', /Insufficient example\.com\/dongle/)
  await removed(client, 'second')
  await removed(client, 'uses')
})

/** As a kubelet, a node does not start with another policy than that of its checkpoints. */
function forgetPolicies(): void {
  for (const file of ['cpu_manager_state', 'memory_manager_state']) rmSync(path.join(KUBELET, file), { force: true })
}

/** The processors and memory nodes that the kernel lets a container use. */
const affinity = async (client: Client, name: string) =>
  (await run(client, name, "sed -n 's/^\\(Cpus\\|Mems\\)_allowed_list:\\t//p' /proc/self/status")).out.trim().split('\n')

test('guaranteed pods have processors and memory of their own, others leave those processors', async (t) => {
  const cpus = os.availableParallelism()
  if (cpus < 2) return t.skip('needs two processors')
  forgetPolicies()
  t.after(forgetPolicies)
  const reserved = { cpu: String(cpus - 1), memory: '400Mi' }
  await using cluster = await start({
    cpuManagerPolicy: 'static',
    cpuManagerReconcilePeriod: '1s',
    memoryManagerPolicy: 'Static',
    topologyManagerPolicy: 'single-numa-node',
    kubeReserved: reserved,
    reservedMemory: [{ numaNode: 0, limits: { memory: '500Mi' } }],
  })
  const client = cluster.client()
  await createPod(client, 'shared', { containers: [main({})] })
  await reached(client, 'shared', isReady)
  const all = (await affinity(client, 'shared'))[0]
  const amounts = { cpu: '1', memory: '32Mi' }
  await createPod(client, 'own', { containers: [main({ limits: amounts, requests: amounts })] })
  await reached(client, 'own', isReady)
  const [processor, memory] = await affinity(client, 'own')
  assert.match(processor ?? '', /^\d+$/)
  assert.equal(memory, '0')
  const [held] = await resourcesOf('own')
  assert.deepEqual(held?.cpuIds, [Number(processor)])
  assert.deepEqual(
    held?.memory.map(({ memoryType, size }) => [memoryType, size]),
    [['memory', 32 * 2 ** 20]],
  )
  const { numaNodes } = await client.get<NodeReport>({ group: 'bowsprit.dev', version: 'v1', resource: 'nodereports', name: 'node-1' })
  const owned = numaNodes.flatMap((numa) => numa.cpus.filter(({ pod }) => pod === 'default/own').map(({ id }) => id))
  assert.deepEqual(owned, [Number(processor)])
  const isApart = async () => {
    const [now = ''] = await affinity(client, 'shared')
    return now !== all && !now.split(',').includes(processor ?? '')
  }
  await waitFor(isApart, { timeoutMs: 60_000 })
  await removed(client, 'own')
  await waitFor(async () => (await affinity(client, 'shared'))[0] === all, { timeoutMs: 60_000 })
  await createPod(client, 'many', {
    nodeName: 'node-1',
    containers: [main({ limits: { cpu: String(cpus), memory: '32Mi' } })],
  })
  const refused = await reached(client, 'many', hasEnded)
  assert.equal(refused.status?.reason, 'TopologyAffinityError')
  await removed(client, 'many')
  await removed(client, 'shared')
})

test('a driver of claims gives a real container a device of the Container Device Interface', async (t) => {
  if (!machine.hasCdi) return t.skip('this containerd has no Container Device Interface')
  const spec = {
    cdiVersion: '0.6.0',
    kind: 'example.com/gpu',
    devices: [
      { name: 'gpu-0', containerEdits: { env: ['GPU=gpu-0'], deviceNodes: [{ path: '/dev/gpu0', hostPath: '/dev/null', type: 'c' }] } },
    ],
  }
  writeFileSync(path.join(machine.cdiFolder, 'example.json'), JSON.stringify(spec))
  await using cluster = await start()
  const client = cluster.client()
  await waitFor(async () => (await client.list(NODES)).items.length === 1, { timeoutMs: 60_000 })
  const prepared: string[] = []
  await using driver = await serveDraDriver(
    {
      name: 'gpu.example.com',
      discover: () => [{ name: 'gpu-0' }],
      prepare: ({ name, devices }) => {
        prepared.push(name)
        return devices.map((d) => ({ ...d, cdi: [`example.com/gpu=${d.device}`] }))
      },
      unprepare: ({ name }) => void prepared.splice(prepared.indexOf(name), 1),
    },
    { client, nodeName: 'node-1' },
  )
  await driver.published
  await client.create(
    { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses' },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
    },
  )
  await client.create(
    { ...RESOURCE_CLAIMS, ...DEFAULT },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'one' },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
    },
  )
  await createPod(client, 'claims', {
    resourceClaims: [{ name: 'gpu', resourceClaimName: 'one' }],
    containers: [main({ claims: [{ name: 'gpu' }] })],
  })
  await reached(client, 'claims', isReady)
  const { out } = await run(client, 'claims', 'echo $GPU; stat -c "%F %t:%T" /dev/gpu0')
  assert.deepEqual(out.trim().split('\n'), ['gpu-0', 'character special file 1:3'])
  await client.delete({ ...PODS, ...DEFAULT, name: 'claims' })
  await waitFor(() => prepared.length === 0, { timeoutMs: 60_000 })
})

test.after(() => machine[Symbol.asyncDispose]())
