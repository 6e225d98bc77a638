import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { CHECKPOINT_FILE } from '../../node/allocation/devices/checkpoint.ts'
import type { Devices } from '../../node/allocation/devices/open-devices.ts'
import { type DeviceFolders, deviceFolders } from '../../node/plugins/device-folders.ts'
import type { ContainerSpec } from '../../node/runtime/container-spec.ts'
import type { Runtime } from '../../node/runtime/runtime.ts'
import { createSimulatedRuntime } from '../../node/runtime/simulated/simulated-runtime.ts'
import { CORE_EVENTS, NODES, PODS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { Container, Event, Pod, PodSpec } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { type FaultyTransport, faultyTransport } from '../faulty-transport.ts'
import { startCluster } from '../start-cluster.ts'
import { TrialAgent } from './trial-agent.ts'

export interface DeviceNodeOptions {
  /** Where the device plugins' sockets are; default: a temporary folder. */
  readonly folder?: string
  /** Whether the cluster has a scheduler and controllers. */
  readonly scheduler?: boolean
}

const DEFAULT_PODS = { ...PODS, namespace: 'default' }
const DONGLES = 'example.com/dongle'

/** A node with devices over a simulated runtime and an API server, in real time. */
export async function openDeviceNode(options: DeviceNodeOptions = {}): Promise<DeviceNode> {
  const cluster = await startCluster({
    parts: ['server', 'nodes', ...(options.scheduler ? (['scheduler', 'controllers'] as const) : [])],
    nodes: 0,
  })
  const node = new DeviceNode(cluster, options)
  await node.client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } },
  )
  await node.start()
  await node.until('the node is registered', async () => (await node.client.list(NODES)).items.length === 1)
  return node
}

/** Its agent can be stopped, killed and started, its machine rebooted. */
export class DeviceNode implements AsyncDisposable {
  readonly client: Client
  readonly folder: string
  readonly folders: DeviceFolders
  /** The agent's transport to the API server. */
  readonly api: FaultyTransport
  /** The containers that the runtime was asked to create. */
  readonly created: ContainerSpec[] = []
  readonly #cluster: Cluster
  readonly #ownsFolder: boolean
  readonly #random = seededRandom(3)
  #machine = this.#boot()
  #agent: TrialAgent | undefined

  constructor(cluster: Cluster, { folder }: DeviceNodeOptions) {
    this.#cluster = cluster
    this.#ownsFolder = folder === undefined
    this.folder = folder ?? mkdtempSync(path.join(os.tmpdir(), 'dev-'))
    this.folders = deviceFolders(this.folder)
    this.client = cluster.client()
    this.api = faultyTransport(cluster.transport())
  }

  get devices(): Devices {
    if (this.#agent === undefined) throw new Error('the agent does not run')
    return this.#agent.devices
  }

  /** How many pods the agent has accepted. */
  get taken(): number {
    return this.#agent?.pods ?? 0
  }

  get runs(): boolean {
    return this.#agent !== undefined
  }

  async start(): Promise<void> {
    const client = createClient(this.api)
    this.#agent = await TrialAgent.start({ client, folders: this.folders, random: this.#random, ...this.#machine })
  }

  /** Stops the agent; containers continue. */
  async stop(): Promise<void> {
    const agent = this.#agent
    this.#agent = undefined
    await agent?.[Symbol.asyncDispose]()
  }

  /** Kills the agent: its checkpoint stays as it was at that moment. */
  async kill(): Promise<void> {
    const file = path.join(this.folders.plugins, CHECKPOINT_FILE)
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    await this.stop()
    if (text !== undefined) writeFileSync(file, text)
  }

  /** Reboots the machine: all processes end, its files stay. */
  reboot(): void {
    this.#machine = this.#boot()
  }

  /** A pod on `node-1`; `nodeName: null` leaves the choice to the scheduler. */
  async create(
    name: string,
    { nodeName = 'node-1', ...spec }: Omit<PodSpec, 'nodeName'> & { nodeName?: string | null },
    annotations: Record<string, string> = {},
  ): Promise<void> {
    const whole: PodSpec = {
      ...(nodeName !== null && { nodeName }),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      ...spec,
    }
    const metadata = { name, namespace: 'default', annotations }
    await this.client.create(DEFAULT_PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec: whole })
  }

  pod(name: string): Promise<Readonly<Pod>> {
    return this.client.get({ ...DEFAULT_PODS, name })
  }

  async delete(name: string): Promise<void> {
    await this.client.delete({ ...DEFAULT_PODS, name }, { gracePeriodSeconds: 0 })
  }

  /** Resolves when the pod is gone. */
  async gone(name: string): Promise<void> {
    await this.until(`${name} is gone`, async () => (await this.client.list(DEFAULT_PODS)).items.every((p) => p.metadata.name !== name))
  }

  /** Resolves when the pod is in one of these phases. */
  async phase(name: string, ...phases: readonly string[]): Promise<Readonly<Pod>> {
    await this.until(`${name} is ${phases.join(' or ')}`, async () => phases.includes(String((await this.pod(name)).status?.phase)))
    return this.pod(name)
  }

  async amounts(resource = DONGLES): Promise<{ capacity: string | null; allocatable: string | null }> {
    const { status } = await this.client.get({ ...NODES, name: 'node-1' })
    return { capacity: status?.capacity?.[resource] ?? null, allocatable: status?.allocatable?.[resource] ?? null }
  }

  /** Resolves when the node's status has these amounts. */
  async shows(capacity: string | null, allocatable: string | null, resource = DONGLES): Promise<void> {
    await this.until(`the node shows ${capacity}/${allocatable} of ${resource}`, async () => {
      const now = await this.amounts(resource)
      return now.capacity === capacity && now.allocatable === allocatable
    })
  }

  async events(name: string): Promise<readonly Event[]> {
    const { items } = await this.client.list({ ...CORE_EVENTS, namespace: 'default' })
    return items.filter((e) => e.involvedObject?.name === name)
  }

  async until(what: string, holds: () => Promise<boolean> | boolean, limitMs = 15_000): Promise<void> {
    const endMs = systemClock.monotonic() + limitMs
    while (!(await holds())) {
      if (systemClock.monotonic() > endMs)
        throw new Error(`waited ${limitMs} ms in vain: ${what}; the node shows ${JSON.stringify(await this.amounts())}`)
      await systemClock.sleep(5)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#cluster[Symbol.asyncDispose]()
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true })
  }

  #boot() {
    const simulated = createSimulatedRuntime({ clock: systemClock, random: this.#random, podSubnets: ['10.9.8.'] })
    return { simulated, runtime: withNotes(simulated, this.created) }
  }
}

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
