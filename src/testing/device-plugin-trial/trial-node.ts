import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { seededRandom } from '../../base/random.ts'
import { NodeAgent } from '../../node/agent.ts'
import type { DynamicResources } from '../../node/allocation/claims/dynamic-resources.ts'
import { DRA_PLUGIN_TYPE, driverTaker, openDynamicResources } from '../../node/allocation/claims/open-dynamic-resources.ts'
import { CHECKPOINT_FILE } from '../../node/allocation/devices/checkpoint.ts'
import { createDeviceMetrics } from '../../node/allocation/devices/device-metrics.ts'
import { type Devices, openDevices } from '../../node/allocation/devices/open-devices.ts'
import { createSharedFeed } from '../../node/feed.ts'
import { deviceFolders } from '../../node/plugins/device-folders.ts'
import type { ContainerSpec } from '../../node/runtime/container-spec.ts'
import type { Runtime } from '../../node/runtime/runtime.ts'
import { createSimulatedNetwork } from '../../node/runtime/simulated/simulated-network.ts'
import { createSimulatedRuntime } from '../../node/runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE } from '../../node/status/node-object.ts'
import { CORE_EVENTS, NODES, PODS } from '../../resources/refs.ts'
import type { Container, Event, Pod, PodSpec } from '../../resources/types/core.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { createInformerFactory } from '../../sdk/informer/informer-factory.ts'
import { faultyTransport } from '../faulty-transport.ts'
import { startCluster } from '../start-cluster.ts'

/**
 * A node with devices over a simulated runtime and an API server, in real time: its agent can be stopped, killed and started, its machine
 * rebooted.
 */
export async function openDeviceNode(options: { readonly folder?: string; readonly scheduler?: boolean } = {}) {
  const folder = options.folder ?? mkdtempSync(path.join(os.tmpdir(), 'dev-'))
  const random = seededRandom(3)
  const clock = systemClock
  const cluster = await startCluster({
    parts: ['server', 'nodes', ...(options.scheduler ? (['scheduler', 'controllers'] as const) : [])],
    nodes: 0,
  })
  const client = cluster.client()
  /** The agent's transport to the API server. */
  const api = faultyTransport(cluster.transport())
  const agentClient = createClient(api)
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } }
  await client.create({ group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' }, account)
  const created: ContainerSpec[] = []
  const boot = () => {
    const base = createSimulatedRuntime({ clock, random, podSubnet: '10.9.8' })
    return { base, runtime: withNotes(base, created) }
  }
  let machine = boot()
  let running:
    | {
        readonly stop: AbortController
        readonly done: Promise<unknown>
        readonly devices: Devices
        readonly claims: DynamicResources
        readonly agent: NodeAgent
      }
    | undefined

  const node = {
    client,
    api,
    folder,
    folders: deviceFolders(folder),
    created,
    get devices(): Devices {
      if (running === undefined) throw new Error('the agent does not run')
      return running.devices
    },
    async start() {
      const stop = new AbortController()
      let agent: NodeAgent | undefined
      const notify = (reason: string, message: string) => agent?.recordNodeEvent('Warning', reason, message)
      const claims = openDynamicResources(node.folders, { client: agentClient, clock, log: silentLogger, nodeName: 'node-1', notify })
      const devices = await openDevices(node.folders, {
        clock,
        log: silentLogger,
        metrics: createDeviceMetrics(),
        notify,
        pods: () => agent?.pods() ?? [],
        pod: (namespace, name) => agent?.pod(namespace, name),
        others: { claims: (pod, container) => claims.held(pod, container) },
        takers: new Map([[DRA_PLUGIN_TYPE, driverTaker(claims, { clock })]]),
      })
      claims.start()
      const { base, runtime } = machine
      const feed = createSharedFeed(createInformerFactory({ client: agentClient, clock, random, log: silentLogger }))
      const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids: { machineId: 'm', bootId: 'b' } }
      const parts = { admission: [claims, devices.manager], sources: [devices.manager] }
      const own = new NodeAgent(identity, {
        client: agentClient,
        feed,
        clock,
        log: silentLogger,
        runtime,
        network: createSimulatedNetwork(base),
        ...parts,
      })
      agent = own
      const live = async () => {
        while (!stop.signal.aborted) {
          try {
            await own.register()
            break
          } catch {
            await pause(clock, 20, stop.signal) // the API server is away: retry
          }
        }
        await own.run(stop.signal)
      }
      running = { stop, agent: own, devices, claims, done: Promise.all([feed.run(stop.signal), live()]) }
    },
    /** How many pods the agent has taken on. */
    get taken(): number {
      return running?.agent.pods().length ?? 0
    },
    get runs() {
      return running !== undefined
    },
    /** The agent is killed: it writes no last status. */
    async kill() {
      const file = path.join(node.folders.plugins, CHECKPOINT_FILE)
      const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
      await node.stop()
      if (text !== undefined) writeFileSync(file, text)
    },
    /** Stops the agent; containers continue. */
    async stop() {
      const was = running
      running = undefined
      was?.stop.abort()
      await was?.done
      await was?.devices[Symbol.asyncDispose]()
      await was?.claims[Symbol.asyncDispose]()
    },
    /** Reboots the machine: all processes end, its files stay. */
    reboot() {
      machine = boot()
    },
    /** A pod on `node-1`; `nodeName: null` leaves the choice to the scheduler. */
    async create(
      name: string,
      spec: Omit<PodSpec, 'nodeName'> & { nodeName?: string | null },
      annotations: Record<string, string> = {},
    ): Promise<void> {
      const { nodeName = 'node-1', ...rest } = spec
      const whole: PodSpec = {
        ...(nodeName !== null && { nodeName }),
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        ...rest,
      }
      await client.create(
        { ...PODS, namespace: 'default' },
        { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', annotations }, spec: whole },
      )
    },
    pod: (name: string): Promise<Readonly<Pod>> => client.get({ ...PODS, namespace: 'default', name }),
    delete: (name: string) => client.delete({ ...PODS, namespace: 'default', name }, { gracePeriodSeconds: 0 }),
    async gone(name: string): Promise<void> {
      await node.until(`${name} is gone`, async () =>
        (await client.list({ ...PODS, namespace: 'default' })).items.every((p) => p.metadata.name !== name),
      )
    },
    async phase(name: string, ...phases: readonly string[]): Promise<Readonly<Pod>> {
      await node.until(`${name} is ${phases.join(' or ')}`, async () => phases.includes(String((await node.pod(name)).status?.phase)))
      return node.pod(name)
    },
    async amounts(resource = 'example.com/dongle'): Promise<{ capacity: string | null; allocatable: string | null }> {
      const { status } = await client.get({ ...NODES, name: 'node-1' })
      return { capacity: status?.capacity?.[resource] ?? null, allocatable: status?.allocatable?.[resource] ?? null }
    },
    async shows(capacity: string | null, allocatable: string | null, resource = 'example.com/dongle'): Promise<void> {
      await node.until(`the node shows ${capacity}/${allocatable} of ${resource}`, async () => {
        const now = await node.amounts(resource)
        return now.capacity === capacity && now.allocatable === allocatable
      })
    },
    async events(name: string): Promise<readonly Event[]> {
      return (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items.filter((e) => e.involvedObject?.name === name)
    },
    async until(what: string, holds: () => Promise<boolean> | boolean, limitMs = 15_000): Promise<void> {
      const endMs = clock.monotonic() + limitMs
      while (!(await holds())) {
        if (clock.monotonic() > endMs)
          throw new Error(`waited ${limitMs} ms in vain: ${what}; the node shows ${JSON.stringify(await node.amounts())}`)
        await clock.sleep(5)
      }
    },
    async [Symbol.asyncDispose]() {
      await node.stop()
      await cluster[Symbol.asyncDispose]()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
  await node.start()
  await node.until('the node is there', async () => (await client.list(NODES)).items.length === 1)
  return node
}

export type DeviceNode = Awaited<ReturnType<typeof openDeviceNode>>

/** The runtime, which records the containers that it was asked to create. */
function withNotes(runtime: Runtime, created: ContainerSpec[]): Runtime {
  return new Proxy(runtime, {
    get: (target, key) => {
      if (key === 'createContainer') {
        return (sandbox: string, spec: ContainerSpec, signal: AbortSignal) => {
          created.push(spec)
          return target.createContainer(sandbox, spec, signal)
        }
      }
      const value = Reflect.get(target, key) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A pod's spec whose containers request these numbers of dongles. */
export const dongles = (count: number, more: Partial<PodSpec> = {}): PodSpec => ({ containers: [container('main', count)], ...more })
export const container = (name: string, count: number, image = 'app'): Container => ({
  name,
  image,
  ...(count > 0 && { resources: { limits: { 'example.com/dongle': String(count) } } }),
})
