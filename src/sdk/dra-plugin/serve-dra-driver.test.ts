import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { CLAIM_CHECKPOINT, readClaims } from '../../node/allocation/claims/claim-checkpoint.ts'
import { podResourcesSocket } from '../../node/plugins/device-folders.ts'
import { NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../resources/refs.ts'
import type { Pod, PodSpec } from '../../resources/types/core.ts'
import { type DeviceNode, openDeviceNode } from '../../testing/device-plugin-trial/trial-node.ts'
import { connectUnix } from '../grpc/connect-unix.ts'
import { POD_RESOURCES } from '../node-api/pod-resources.ts'
import type { DraDevice, DraDriver } from './dra-driver.ts'
import { serveDraDriver } from './serve-dra-driver.ts'

const NAME = 'gpu.example.com'
const DEFAULT = { namespace: 'default' }
const CLASSES = { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses' }

/** A node with a class of devices, a claim for one of them, and a scheduler. */
async function openNode() {
  const node = await openDeviceNode({ scheduler: true })
  const selectors = [{ cel: { expression: `device.driver == "${NAME}"` } }]
  const spec = { extendedResourceName: 'example.com/gpu', selectors }
  await node.client.create(CLASSES, { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec })
  await node.client.patch({ ...NODES, name: 'node-1' }, 'merge', { spec: { taints: null } })
  return node
}

const create = (node: DeviceNode, name: string, spec: PodSpec) =>
  node.client.create(
    { ...PODS, ...DEFAULT },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...DEFAULT }, spec: { terminationGracePeriodSeconds: 1, ...spec } },
  )

const claim = (node: DeviceNode, name: string, config: object[] = []) =>
  node.client.create(
    { ...RESOURCE_CLAIMS, ...DEFAULT },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name, ...DEFAULT },
      spec: { devices: { requests: [{ name: 'card', exactly: { deviceClassName: 'gpu' } }], config } },
    },
  )

const uses = (...claims: readonly string[]) => ({
  resourceClaims: claims.map((c) => ({ name: c, resourceClaimName: c })),
  containers: [{ name: 'main', image: 'app', resources: { claims: claims.map((c) => ({ name: c })) } }],
})

function cards(...names: readonly string[]) {
  const state = { devices: names.map((name): DraDevice => ({ name, attributes: { model: 'x9' }, capacity: { memory: '40960Mi' } })) }
  const requested: string[] = []
  const driver: DraDriver = {
    name: NAME,
    discover: () => state.devices,
    prepare({ name, devices }) {
      requested.push(`prepare ${name} ${devices.map((d) => `${d.device}${JSON.stringify(d.parameters)}`)}`)
      return devices.map((d) => ({ ...d, cdi: [`example.com/gpu=${d.device}`] }))
    },
    unprepare: ({ name }) => void requested.push(`unprepare ${name}`),
  }
  return { state, requested, driver }
}

const slices = async (node: DeviceNode) => (await node.client.list(RESOURCE_SLICES)).items
const healthOf = (pod: Pod) => pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus

test('a driver publishes, prepares claims, reports health, survives restarts of the agent, and unprepares', {
  timeout: 120_000,
}, async () => {
  await using node = await openNode()
  const { state, requested, driver } = cards('gpu-0')
  await using served = await serveDraDriver(driver, { client: node.client, nodeName: 'node-1', folder: node.folder })
  await Promise.all([served.registered, served.published])
  const opaque = { driver: NAME, parameters: { mode: 'fast' } }
  await claim(node, 'one', [{ requests: ['card'], opaque }])
  await create(node, 'a', uses('one'))
  await create(node, 'b', uses('one'))
  for (const name of ['a', 'b']) await node.phase(name, 'Running')
  assert.deepEqual(requested, ['prepare one gpu-0[{"mode":"fast"}]'])
  assert.deepEqual(
    node.created.map((c) => c.cdiDevices),
    [['example.com/gpu=gpu-0'], ['example.com/gpu=gpu-0']],
  )

  using connection = await connectUnix(podResourcesSocket(node.folders), { clock: systemClock })
  const limits = { signal: new AbortController().signal, timeoutMs: 5000 }
  const reported = await connection.call(POD_RESOURCES.get, { podName: 'a', podNamespace: 'default' }, limits)
  const resource = {
    driverName: NAME,
    poolName: 'node-1',
    deviceName: 'gpu-0',
    shareId: '',
    cdiDevices: [{ name: 'example.com/gpu=gpu-0' }],
  }
  assert.deepEqual(reported.podResources?.containers[0]?.dynamicResources, [
    { claimName: 'one', claimNamespace: 'default', claimResources: [resource] },
  ])

  state.devices = [{ ...state.devices[0], name: 'gpu-0', healthy: false, message: 'too hot' }]
  await served.refresh()
  const sick = [{ name: 'claim:one', resources: [{ resourceID: 'example.com/gpu=gpu-0', health: 'Unhealthy', message: 'too hot' }] }]
  await node.until('the status tells', async () => JSON.stringify(healthOf(await node.pod('a'))) === JSON.stringify(sick))

  await node.stop()
  const left = readClaims(readFileSync(path.join(node.folder, CLAIM_CHECKPOINT), 'utf8'))
  assert.deepEqual(
    left.map((c) => [c.name, c.pods.size, [...c.drivers.keys()]]),
    [['one', 2, [NAME]]],
  )
  await node.start()
  await node.until('its slices are there again', async () => (await slices(node)).length === 1)
  await node.delete('a')
  await node.gone('a')
  assert.equal(requested.length, 1)
  await node.delete('b')
  await node.gone('b')
  await node.until('it is given back', () => requested.at(-1) === 'unprepare one')
  assert.equal(requested.length, 2)
})

test('generated claims and extended resources are made ready like others; what a driver refuses holds back the pod', {
  timeout: 120_000,
}, async () => {
  await using node = await openNode()
  const { requested, driver } = cards('gpu-0', 'gpu-1')
  let refuses = true
  const prepare: DraDriver['prepare'] = (wanted) => {
    if (refuses) throw new Error('the card is warming up')
    return driver.prepare?.(wanted) ?? []
  }
  await using served = await serveDraDriver({ ...driver, prepare }, { client: node.client, nodeName: 'node-1', folder: node.folder })
  await Promise.all([served.registered, served.published])
  const templates = { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaimtemplates', ...DEFAULT }
  const spec = { spec: { devices: { requests: [{ name: 'card', exactly: { deviceClassName: 'gpu' } }] } } }
  await node.client.create(templates, {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'each', ...DEFAULT },
    spec,
  })
  const resourceClaims = [{ name: 'card', resourceClaimTemplateName: 'each' }]
  await create(node, 'generated', { ...uses('card'), resourceClaims })
  const events = async (name: string) => (await node.events(name)).map((e) => `${e.reason}: ${e.message}`)
  await node.until('it is told', async () => (await events('generated')).some((e) => e.startsWith('FailedPrepareDynamicResources')))
  const said = (await events('generated')).find((e) => e.startsWith('Failed'))
  assert.match(
    said ?? '',
    /^FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for ResourceClaim generated-card-\w+: the card is warming up$/,
  )
  refuses = false
  await node.client.patch({ ...PODS, ...DEFAULT, name: 'generated' }, 'merge', { metadata: { labels: { again: 'now' } } })
  await create(node, 'extended', { containers: [{ name: 'main', image: 'app', resources: { limits: { 'example.com/gpu': '1' } } }] })
  await node.phase('extended', 'Running')
  const [of] = node.created.filter((c) => c.pod.name === 'extended')
  assert.match(String(of?.cdiDevices), /^example.com\/gpu=gpu-[01]$/)
  await node.delete('extended')
  await node.gone('extended')
  await node.until('it is given back', () => requested.filter((a) => a.startsWith('unprepare')).length === 1)
})

test('slices are split, follow the devices, come back when somebody deletes them, and stay when the driver stops', {
  timeout: 120_000,
}, async () => {
  await using node = await openNode()
  const { state, driver } = cards(...Array.from({ length: 300 }, (_, i) => `gpu-${i}`))
  const served = await serveDraDriver(driver, { client: node.client, nodeName: 'node-1', folder: node.folder })
  await served.published
  const shown = async () =>
    (await slices(node)).map((s) => [s.spec?.pool?.generation, s.spec?.pool?.resourceSliceCount, s.spec?.devices?.length]).sort()
  const is = (what: unknown) =>
    node.until(`slices are ${JSON.stringify(what)}`, async () => JSON.stringify(await shown()) === JSON.stringify(what))
  await is([
    [1, 3, 128],
    [1, 3, 128],
    [1, 3, 44],
  ])
  const before = (await slices(node)).map((s) => s.metadata.resourceVersion)
  await served.refresh()
  await served.refresh()
  assert.deepEqual(
    (await slices(node)).map((s) => s.metadata.resourceVersion),
    before,
  )
  state.devices = state.devices.slice(0, 100)
  await served.refresh()
  await is([[2, 1, 100]])
  const [only] = await slices(node)
  assert.equal(only?.metadata.ownerReferences?.[0]?.kind, 'Node')
  await node.client.delete({ ...RESOURCE_SLICES, name: only?.metadata.name ?? '' })
  await is([[1, 1, 100]])
  await served[Symbol.asyncDispose]()
  assert.equal(existsSync(path.join(node.folders.registry, `${NAME}-reg.sock`)), false)
  assert.equal((await slices(node)).length, 1)
})

test('after a reboot a pod waits for its driver, whose claim is made ready anew; no pod is lost or refused', {
  timeout: 120_000,
}, async () => {
  await using node = await openNode()
  const { requested, driver } = cards('gpu-0')
  const where = { client: node.client, nodeName: 'node-1', folder: node.folder }
  const first = await serveDraDriver(driver, where)
  await Promise.all([first.registered, first.published])
  await claim(node, 'one')
  await create(node, 'a', uses('one'))
  await node.phase('a', 'Running')
  await node.stop()
  await first[Symbol.asyncDispose]()
  node.reboot()
  await node.start()
  await node.until('it is told that the driver is away', async () =>
    (await node.events('a')).some((e) =>
      String(e.message).endsWith('prepare dynamic resources: DRA driver gpu.example.com is not registered'),
    ),
  )
  assert.equal((await node.pod('a')).status?.phase, 'Running')
  await using _ = await serveDraDriver(driver, where)
  await node.until('it runs again', () => node.created.length === 2)
  assert.deepEqual(requested, ['prepare one gpu-0[]', 'prepare one gpu-0[]'])
  assert.deepEqual(node.created[1]?.cdiDevices, ['example.com/gpu=gpu-0'])
})
