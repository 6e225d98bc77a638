import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '../../../src/base/clock.ts'
import type { JsonObject } from '../../../src/machinery/object.ts'
import { CHECKPOINT_FILE } from '../../../src/node/allocation/devices/checkpoint.ts'
import { podResourcesSocket } from '../../../src/node/plugins/device-folders.ts'
import { NODES } from '../../../src/resources/refs.ts'
import type { PodSpec } from '../../../src/resources/types/core.ts'
import { connectUnix } from '../../../src/sdk/grpc/connect-unix.ts'
import { POD_RESOURCES } from '../../../src/sdk/node-api/pod-resources.ts'
import { container, type DeviceNode, dongles, openDeviceNode } from '../../../src/testing/device-plugin-trial/trial-node.ts'
import { difference, type Fact } from './compare-facts.ts'
import { FakePlugin, healthy, sick } from './fake-plugin.ts'

export interface FactResult {
  readonly fact: string
  /** Empty: no difference. */
  readonly differences: readonly string[]
  /** The fact cannot be played. */
  readonly unknown?: true
}

interface Stage {
  readonly node: DeviceNode
  readonly fact: Fact
  plugin: FakePlugin
}

type Play = (stage: Stage) => Promise<JsonObject>

/** Plays the recorded facts in order on one node; returns the differences of each. */
export async function playDevices(facts: readonly Fact[]): Promise<readonly FactResult[]> {
  await using node = await openDeviceNode()
  const results: FactResult[] = []
  const plugin = new FakePlugin(node.folders.plugins, healthy('d0', 'd1', 'd2', 'd3'))
  const stage = { node, plugin, fact: facts[0] ?? { fact: '' } }
  for (const fact of facts) {
    const play = fact.fact.startsWith('registration: ') ? registration : PLAYS[fact.fact]
    if (play === undefined) {
      results.push({ fact: fact.fact, differences: ['nobody knows how to play this'], unknown: true })
      continue
    }
    stage.fact = fact
    try {
      const seen = await play(stage)
      results.push({ fact: fact.fact, differences: difference(fact, seen) })
    } catch (error) {
      results.push({ fact: fact.fact, differences: [error instanceof Error ? error.message : String(error)] })
    }
  }
  await stage.plugin.stop()
  return results
}

async function registration({ node, fact }: Stage): Promise<JsonObject> {
  const request = (fact.request ?? {}) as { Version?: string; Resource?: string; Endpoint?: string }
  const plugin = new FakePlugin(node.folders.plugins, healthy('d0'))
  await plugin.serve()
  const answer = await plugin.register(request.Resource, request.Version, request.Endpoint).then(
    () => '<nil>',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const shown = await node.amounts()
  await plugin.stop()
  return { answer: [answer], node: shown.capacity === null ? {} : { 'example.com/dongle': shown.capacity } }
}

const patchCapacity = (node: DeviceNode, amount: string | null) =>
  node.client.patch({ ...NODES, name: 'node-1', subresource: 'status' }, 'merge', {
    status: { capacity: { 'example.com/by-hand': amount } },
  })

/** The status and the events of a refused pod. */
async function refused(node: DeviceNode, name: string, spec: PodSpec): Promise<JsonObject> {
  await node.create(name, spec)
  const { status } = await node.phase(name, 'Failed')
  await node.until('its event', async () => (await node.events(name)).length > 0)
  return { status: status as JsonObject, events: (await events(node, name)) as never }
}

const events = async (node: DeviceNode, name: string): Promise<JsonObject[]> =>
  (await node.events(name)).map((e) => {
    const { type = null, reason = null, message = null } = e as unknown as JsonObject
    return { type, reason, message, from: 'kubelet' }
  })

async function requested(node: DeviceNode) {
  const connection = await connectUnix(podResourcesSocket(node.folders), { clock: systemClock })
  const limits = { signal: new AbortController().signal, timeoutMs: 5000 }
  const reported = (work: Promise<unknown>) =>
    work.then(
      (value) => `${JSON.stringify(snake(value))} <nil>`,
      (error: unknown) => `null ${error instanceof Error ? error.message : error}`,
    )
  return {
    list: () => reported(connection.call(POD_RESOURCES.list, {}, limits)),
    get: (podName: string) => reported(connection.call(POD_RESOURCES.get, { podName, podNamespace: 'default' }, limits)),
    allocatable: () => reported(connection.call(POD_RESOURCES.getAllocatableResources, {}, limits)),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

/** With the protocol's field names; empty fields are dropped. */
function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, v]) => v !== undefined && v !== '' && !(Array.isArray(v) && v.length === 0))
  return Object.fromEntries(entries.map(([k, v]) => [k.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), snake(v)]))
}

async function listed(node: DeviceNode): Promise<string> {
  using client = await requested(node)
  return await client.list()
}

async function got(node: DeviceNode, pod: string): Promise<string> {
  using client = await requested(node)
  return await client.get(pod)
}

const statuses = async (node: DeviceNode, name: string) => ((await node.pod(name)).status?.containerStatuses ?? []) as never

async function ended(node: DeviceNode, ...names: readonly string[]): Promise<void> {
  for (const name of names) await node.delete(name)
  for (const name of names) await node.gone(name)
}

const health = (node: DeviceNode, pod: string, word: string) =>
  node.until(`the devices of ${pod} are ${word}`, async () => JSON.stringify((await node.pod(pod)).status).includes(`"health":"${word}"`))

const PLAYS: Readonly<Record<string, Play>> = {
  'an amount patched into capacity by hand is copied to allocatable at the next status update': async ({ node }) => {
    await patchCapacity(node, '4')
    await node.shows('4', '4', 'example.com/by-hand')
    return { allocatable: '4' }
  },
  'after removing it from capacity by hand': async ({ node }) => {
    await patchCapacity(node, null)
    await node.shows(null, null, 'example.com/by-hand')
    return { ...(await node.amounts('example.com/by-hand')) }
  },
  'registered with four devices': async ({ node, plugin }) => {
    await plugin.serve()
    await plugin.register()
    await node.shows('4', '4')
    return { node: await node.amounts(), calls: plugin.calls.map((c) => c.call) }
  },
  'a pod with two devices': async ({ node, plugin }) => {
    plugin.calls.length = 0
    await node.create('two', dongles(2))
    await node.phase('two', 'Running')
    const spec = node.created.find((c) => c.pod.name === 'two')
    const made = {
      annotations: Object.fromEntries(Object.entries(spec?.annotations ?? {}).filter(([k]) => k.startsWith('example.com/'))),
      attempt: spec?.attempt ?? -1,
      cdi: (spec?.cdiDevices ?? []).map((name) => ({ name })),
      devices: (spec?.devices ?? []).map((d) => ({ container_path: d.containerPath, host_path: d.hostPath, permissions: d.permissions })),
      envs: (spec?.environment ?? []).filter((e) => !e.name.startsWith('KUBERNETES_')).map((e) => ({ key: e.name, value: e.value })),
      mounts: (spec?.mounts ?? []).map((m) => ({ container_path: m.containerPath, host_path: m.hostPath ?? '', readonly: m.readOnly })),
      name: 'main',
      pod: 'two',
    }
    return { calls: plugin.calls as never, container: [made] as never }
  },
  'PodResources while it runs': async ({ node }) => {
    using client = await requested(node)
    return {
      list: await client.list(),
      get: await client.get('two'),
      allocatable: await client.allocatable(),
      missing: await client.get('nope'),
    }
  },
  'nine devices on a node with four (bound without the scheduler)': ({ node }) => refused(node, 'nine', dongles(9)),
  'three when two are free (bound without the scheduler)': ({ node }) => refused(node, 'three', dongles(3)),
  'shape of the checkpoint': async ({ node }) => {
    const checkpoint = JSON.parse(readFileSync(path.join(node.folders.plugins, CHECKPOINT_FILE), 'utf8'))
    return { checkpoint, files: readdirSync(node.folders.plugins).sort() }
  },
  'one device turns unhealthy': async ({ node, plugin }) => {
    plugin.change([...sick('d0'), ...healthy('d1', 'd2', 'd3')])
    await node.shows('4', '3')
    using client = await requested(node)
    const shown = { node: await node.amounts(), podStatus: await statuses(node, 'two'), podresources: await client.get('two') }
    return { ...shown, phase: 'Running', allocatable: await client.allocatable() }
  },
  'all unhealthy': async ({ node, plugin }) => {
    plugin.change(sick('d0', 'd1', 'd2', 'd3'))
    await node.shows('4', '0')
    await health(node, 'two', 'Unhealthy')
    return { node: await node.amounts(), podStatus: await statuses(node, 'two'), phase: String((await node.pod('two')).status?.phase) }
  },
  'healthy again': async ({ node, plugin }) => {
    plugin.change(healthy('d0', 'd1', 'd2', 'd3'))
    await node.shows('4', '4')
    return { node: await node.amounts() }
  },
  'a device disappears from the list': async ({ node, plugin }) => {
    plugin.change(healthy('d1', 'd2', 'd3'))
    await node.shows('3', '3')
    return { node: await node.amounts() }
  },
  'Allocate answers with an error': async ({ node, plugin }) => {
    plugin.failAllocate = 'no more juice'
    const seen = await refused(node, 'juice', dongles(1))
    plugin.failAllocate = undefined
    return seen
  },
  'PreStartContainer answers with an error': async ({ node, plugin }) => {
    plugin.failPreStart = 'cannot reset'
    await node.create('pre', dongles(1))
    await node.until('it waits', async () => JSON.stringify((await node.pod('pre')).status).includes('CreateContainerConfigError'))
    await node.until('its event', async () => (await events(node, 'pre')).some((e) => e.reason === 'Failed'))
    const { status } = await node.pod('pre')
    const seen = { status: status as JsonObject, events: (await events(node, 'pre')) as never }
    plugin.failPreStart = undefined
    await ended(node, 'pre', 'two', 'nine', 'three', 'juice')
    plugin.change(healthy('d0', 'd1', 'd2', 'd3'))
    await node.shows('4', '4')
    return seen
  },
  'init containers lend their devices to the containers': async ({ node, plugin }) => {
    plugin.calls.length = 0
    const initContainers = [container('i1', 3, 'done'), container('i2', 1, 'done2')]
    await node.create('init', { initContainers, containers: [container('main', 2), container('other', 1)] })
    await node.phase('init', 'Running')
    await node.until('it is ready', async () => {
      const conditions = ((await node.pod('init')).status?.conditions ?? []) as readonly {
        readonly type: string
        readonly status: string
      }[]
      return conditions.some((c) => c.type === 'Ready' && c.status === 'True')
    })
    const seen = {
      calls: plugin.calls as never,
      podresources: await got(node, 'init'),
      status: (await node.pod('init')).status as JsonObject,
    }
    await ended(node, 'init')
    return seen
  },
  'a sidecar keeps its device': async ({ node, plugin }) => {
    plugin.calls.length = 0
    const initContainers = [{ ...container('s', 1), restartPolicy: 'Always' }, container('i', 2, 'done')]
    await node.create('side', { initContainers, containers: [container('main', 2)] })
    await node.phase('side', 'Running')
    const seen = { calls: plugin.calls as never, podresources: await got(node, 'side') }
    await ended(node, 'side')
    return seen
  },
  'a finished pod': async ({ node }) => {
    await node.create('done', { restartPolicy: 'Never', containers: [container('main', 4, 'done')] })
    await node.phase('done', 'Succeeded')
    await node.until('its devices are free', () => !node.devices.manager.ledger.knowsResource('example.com/dongle'))
    return { podresources: await listed(node), node: await node.amounts() }
  },
  'its devices are free for the next': async ({ node }) => {
    await node.create('next', dongles(4))
    const { status } = await node.phase('next', 'Running', 'Failed')
    await ended(node, 'next', 'done')
    return { phase: String(status?.phase) }
  },
  'the plugin dies (socket left behind)': async ({ node, plugin }) => {
    await node.create('stay', dongles(2))
    await node.phase('stay', 'Running')
    const before = await node.amounts()
    await plugin.stop()
    await node.shows('4', '0')
    const after = await node.amounts()
    const [podresources, phase, status] = [
      await got(node, 'stay'),
      String((await node.pod('stay')).status?.phase),
      await statuses(node, 'stay'),
    ]
    return {
      node: [
        { at: 0, ...before },
        { at: 0, ...after },
      ],
      podresources,
      phase,
      status,
    }
  },
  'a pod that asks for a device while the plugin is away (bound without the scheduler)': ({ node }) => refused(node, 'away', dongles(1)),
  'the plugin comes back': async (stage) => {
    const { node } = stage
    stage.plugin = new FakePlugin(node.folders.plugins, healthy('d0', 'd1', 'd2', 'd3'))
    await stage.plugin.serve()
    const before = await held(node)
    await stage.plugin.register()
    await node.shows('4', '4')
    return { node: await node.amounts(), podresources: await got(node, 'stay'), same: before === (await held(node)) }
  },
  'the kubelet restarts, the plugin watches its socket': async ({ node, plugin }) => {
    plugin.calls.length = 0
    const made = node.created.length
    const before = await held(node)
    await node.stop()
    await node.until('the plugin sees that it has gone', () => plugin.calls.some((c) => c.call === 'ListAndWatch ended'))
    await plugin.stop()
    plugin.calls.push({ call: 'socket gone' })
    await node.start()
    await plugin.serve()
    await plugin.register()
    await node.shows('4', '4')
    const phase = String((await node.pod('stay')).status?.phase)
    const calls = plugin.calls.map((c) => c.call)
    const same = before === (await held(node))
    return {
      node: [{ at: 0, ...(await node.amounts()) }],
      calls,
      recreated: node.created.slice(made).map((c) => c.name),
      podresources: await got(node, 'stay'),
      same,
      phase,
    }
  },
  'the kubelet restarts while the plugin is away': async ({ node, plugin }) => {
    await node.stop()
    await plugin.stop()
    const before = await node.amounts()
    await node.start()
    await node.shows('0', '0')
    await node.until('it knows the pod', () => node.devices.manager.ledger.knowsResource('example.com/dongle'))
    await node.until('the pod is taken up', async () => (await listed(node)).includes('"stay"'))
    const { status } = await node.pod('stay')
    const amounts = [
      { at: 0, ...before },
      { at: 0, ...(await node.amounts()) },
    ]
    return { node: amounts, phase: String(status?.phase), status: status as JsonObject, podresources: await got(node, 'stay') }
  },
  'a pod that asks for a device then': ({ node }) => refused(node, 'then', dongles(1)),
  'the plugin comes back after that': async (stage) => {
    const { node } = stage
    const before = await held(node)
    stage.plugin = new FakePlugin(node.folders.plugins, healthy('d0', 'd1', 'd2', 'd3'))
    await stage.plugin.serve()
    await stage.plugin.register()
    await node.shows('4', '4')
    const phase = String((await node.pod('stay')).status?.phase)
    return { node: await node.amounts(), podresources: await got(node, 'stay'), same: before === (await held(node)), phase }
  },
}

/** The assignment of devices as a comparable text. */
const held = async (node: DeviceNode) => JSON.stringify([...node.devices.manager.ledger.owners('example.com/dongle')].sort())
