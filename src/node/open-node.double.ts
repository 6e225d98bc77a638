import { VirtualClock } from '../base/clock.ts'
import type { Family } from '../base/exposition.ts'
import { silentLogger } from '../base/logger.ts'
import { seededRandom } from '../base/random.ts'
import type { JsonObject } from '../machinery/object.ts'
import { CORE_EVENTS, PODS } from '../resources/refs.ts'
import type { Client } from '../sdk/client/client.ts'
import { createInformerFactory } from '../sdk/informer/informer-factory.ts'
import { startCluster } from '../testing/start-cluster.ts'
import { NodeAgent } from './agent.ts'
import { createSharedFeed } from './feed.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { Script } from './runtime/simulated/behaviour.ts'
import { createSimulatedNetwork } from './runtime/simulated/simulated-network.ts'
import { createSimulatedRuntime } from './runtime/simulated/simulated-runtime.ts'
import type { StaticPodFeed } from './static-pods/static-pod-feed.ts'
import { DEFAULT_MACHINE, type NodeStatusSource } from './status/node-object.ts'
import type { AdmitHandler } from './types/admit-handler.ts'

export interface NodeOptions {
  readonly script?: Script
  readonly admission?: readonly AdmitHandler[]
  readonly sources?: readonly NodeStatusSource[]
  readonly staticPods?: StaticPodFeed
  /** Wraps the runtime that the agent gets. */
  readonly wrap?: (runtime: Runtime) => Runtime
  /** Called when the agent deletes an object. */
  readonly deleting?: (name: string | undefined) => void
}

/** A node over a simulated runtime, an API server and a virtual clock. */
export async function openNode(options: NodeOptions = {}) {
  const clock = new VirtualClock()
  const random = seededRandom(3)
  const cluster = await startCluster({ parts: ['server', 'nodes'], nodes: 0 }, { clock, random })
  const client = cluster.client()
  const simulated = createSimulatedRuntime({ clock, random, podSubnets: ['10.9.8.'], ...(options.script && { script: options.script }) })
  const runtime = options.wrap?.(simulated) ?? simulated
  const ids = { machineId: 'm', bootId: 'b' }
  const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids }
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } }
  await client.create({ group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' }, account)

  const node = {
    clock,
    client,
    runtime: simulated,
    ids,
    stop: async () => {},
    families: (): readonly Family[] => [],
    async said(about: string): Promise<string[]> {
      const { items } = await client.list(CORE_EVENTS, { fieldSelector: `involvedObject.name=${about}` })
      return items.map((e) => `${e.reason}: ${e.message}`)
    },
    async start() {
      const stop = new AbortController()
      const feed = createSharedFeed(createInformerFactory({ client, clock, random, log: silentLogger }))
      const { admission = [], sources = [], staticPods } = options
      const own: Client = {
        ...client,
        delete(target, how) {
          options.deleting?.(target.name)
          return client.delete(target, how)
        },
      }
      const shared = { client: own, feed, clock, log: silentLogger, runtime, network: createSimulatedNetwork(simulated) }
      const deps = { ...shared, admission, sources, ...(staticPods && { staticPods }) }
      const agent = new NodeAgent(identity, deps)
      node.families = () => agent.families()
      await agent.register()
      const done = Promise.all([feed.run(stop.signal), agent.run(stop.signal)])
      node.stop = async () => {
        stop.abort()
        await clock.advance(1000)
        await done
      }
      await clock.advance(100)
    },
    async create(name: string, spec: JsonObject = {}, annotations: Record<string, string> = {}): Promise<void> {
      const whole = { nodeName: 'node-1', automountServiceAccountToken: false, containers: [{ name: 'main', image: 'app' }], ...spec }
      const metadata = { name, namespace: 'default', annotations }
      await client.create({ ...PODS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Pod', metadata, spec: whole })
      await clock.advance(100)
    },
    async pod(name: string) {
      return client.get({ ...PODS, namespace: 'default', name })
    },
    async containers(): Promise<string[]> {
      const all = await simulated.containers({}, new AbortController().signal)
      return all.map((c) => `${c.pod.name}/${c.name}#${c.attempt}:${c.state}`).sort()
    },
    async [Symbol.asyncDispose]() {
      await node.stop()
      await cluster[Symbol.asyncDispose]()
    },
  }
  await node.start()
  return node
}
