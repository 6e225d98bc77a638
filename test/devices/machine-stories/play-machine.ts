import { VirtualClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/logger.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { JsonObject } from '../../../src/machinery/object.ts'
import { NodeAgent } from '../../../src/node/agent.ts'
import { capacityOf } from '../../../src/node/allocation/topology/node-capacity.ts'
import { type NodeTopology, openTopology } from '../../../src/node/allocation/topology/open-topology.ts'
import { memoryCheckpoint } from '../../../src/node/checkpoints/checkpoint-file.ts'
import { readKubeletConfiguration } from '../../../src/node/configuration/kubelet-configuration.ts'
import { createSharedFeed } from '../../../src/node/feed.ts'
import { readMachine } from '../../../src/node/machine/machine-file.ts'
import type { Runtime } from '../../../src/node/runtime/runtime.ts'
import { createSimulatedNetwork } from '../../../src/node/runtime/simulated/simulated-network.ts'
import { createSimulatedRuntime } from '../../../src/node/runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE } from '../../../src/node/status/node-object.ts'
import { CORE_EVENTS, NODES, PODS } from '../../../src/resources/refs.ts'
import type { Container, Pod } from '../../../src/resources/types/core.ts'
import { createInformerFactory } from '../../../src/sdk/informer/informer-factory.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import type { RecordedCall, RecordedContainer, RecordedFact, RecordedGroup } from './story.ts'

/** The kubelet's configuration in all recordings, in addition to that of a group. */
const BASE: JsonObject = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  maxPods: 250,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%' },
}

export const configurationOf = (group: RecordedGroup) =>
  readKubeletConfiguration(JSON.stringify({ ...BASE, ...group.kubeletConfiguration }))

/** `2 sockets, each 2 NUMA nodes of 4 cores of 1 thread and 8 GiB`. */
export function machineOf(words: string) {
  const number = (pattern: RegExp, otherwise: number) => Number(pattern.exec(words)?.[1] ?? otherwise)
  const { machine } = readMachine(
    JSON.stringify({
      apiVersion: 'bowsprit.dev/v1',
      kind: 'Machine',
      sockets: number(/(\d+) sockets?/, 1),
      numaNodesPerSocket: number(/(\d+) NUMA node/, 1),
      coresPerNumaNode: number(/(\d+) cores?/, 1),
      threadsPerCore: number(/(\d+) threads?/, 1),
      memoryPerNumaNode: `${number(/(\d+) GiB/, 1)}Gi`,
      hugePagesPerNumaNode: { '2Mi': '0' },
    }),
  )
  return machine
}

const STORAGE = '12365856Ki'

export function initOf(group: RecordedGroup) {
  const [config, machine] = [configurationOf(group), machineOf(group.machine)]
  const checkpoints = {
    cpu: memoryCheckpoint('/var/lib/kubelet/cpu_manager_state'),
    memory: memoryCheckpoint('/var/lib/kubelet/memory_manager_state'),
  }
  return { config, machine, capacity: capacityOf(machine, STORAGE, config), checkpoints }
}

/** The node of a recording, with its agent over a simulated runtime. */
export async function openRecorded(group: RecordedGroup) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const random = seededRandom(7)
  const cluster = await startCluster({ parts: ['server', 'nodes'], nodes: 0 }, { clock, random })
  const client = cluster.client()
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } }
  await client.create({ group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' }, account)
  const calls: RecordedCall[] = []
  const simulated = createSimulatedRuntime({ clock, random, podSubnets: ['10.9.8.'] })
  const runtime = recording(simulated, calls)
  const init = initOf(group)
  const machine = { ...DEFAULT_MACHINE, ephemeralStorage: STORAGE, hugePages: { 'hugepages-2Mi': '0' } }
  const identity = { name: 'node-1', ip: '192.0.2.10', machine, runtime, ids: { machineId: 'm', bootId: 'b' } }
  let topology: NodeTopology
  let stop = new AbortController()
  let done: Promise<unknown> = Promise.resolve()
  const uids = new Map<string, string>()

  const node = {
    topology: () => topology,
    init,
    async start() {
      stop = new AbortController()
      topology = openTopology(init, { clock, log: silentLogger })
      const feed = createSharedFeed(createInformerFactory({ client, clock, random, log: silentLogger }))
      const agent = new NodeAgent(identity, {
        client,
        feed,
        clock,
        log: silentLogger,
        runtime,
        network: createSimulatedNetwork(simulated),
        admission: [topology.manager],
        sources: [topology.source],
        parts: topology.reconciler === undefined ? [] : [topology.reconciler],
      })
      await agent.register()
      done = Promise.all([feed.run(stop.signal), agent.run(stop.signal)])
      await clock.advance(200)
    },
    async stop() {
      stop.abort()
      await clock.advance(1000)
      await done
    },
    amounts: async () => {
      const { capacity, allocatable } = (await client.get({ ...NODES, name: 'node-1' })).status ?? {}
      return { capacity, allocatable }
    },
    /** Plays a fact, and returns the calls of the runtime. */
    async act(fact: RecordedFact): Promise<readonly RecordedCall[]> {
      calls.length = 0
      if (fact.deleted !== undefined) await client.delete({ ...PODS, namespace: 'default', name: fact.deleted }, { gracePeriodSeconds: 1 })
      else if (fact.afterRestart !== undefined) {
        await node.stop()
        await node.start()
      } else {
        const { metadata } = await client.create({ ...PODS, namespace: 'default' }, podOf(fact))
        uids.set(metadata.uid ?? '', fact.pod ?? '')
      }
      await clock.advance(4000)
      if (fact.deleted !== undefined) for (const [uid, name] of uids) if (name === fact.deleted) uids.set(uid, '')
      return [...calls]
    },
    pod: (name: string) => client.get({ ...PODS, namespace: 'default', name }),
    async events(name: string) {
      const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' })
      return items
        .filter((e) => e.involvedObject?.name === name && e.type === 'Warning')
        .map(({ type, reason, message }) => ({ type, reason, message }))
    },
    /** A checkpoint with pod names in place of UIDs, and without its checksum, which depends on the UIDs. */
    checkpoint(which: 'cpu' | 'memory'): JsonObject {
      let text = init.checkpoints[which].read() ?? ''
      for (const [uid, name] of uids) text = text.replaceAll(uid, name === '' ? '<uid>' : `<uid of ${name}>`)
      const { checksum: _, ...rest } = JSON.parse(text) as JsonObject
      return rest
    },
    podResources: (pod: Pod) => reported(pod, topology),
    async [Symbol.asyncDispose]() {
      await node.stop()
      await cluster[Symbol.asyncDispose]()
    },
  }
  await node.start()
  return node
}

function reported(pod: Pod, { held }: NodeTopology): JsonObject {
  const sidecars = (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')
  const uid = pod.metadata.uid ?? ''
  const containers = [...sidecars, ...pod.spec.containers].map(({ name }) => {
    const cpus = held.cpus?.(uid, name) ?? []
    const memory = (held.memory?.(uid, name) ?? []).map(({ memoryType, size, topology }) => ({
      memory_type: memoryType,
      size,
      topology: { nodes: (topology?.nodes ?? []).map(({ id }) => (id === 0 ? {} : { ID: id })) },
    }))
    return { name, ...(cpus.length > 0 && { cpu_ids: [...cpus] }), ...(memory.length > 0 && { memory }) }
  })
  return { pod_resources: { name: pod.metadata.name ?? '', namespace: 'default', containers } }
}

/** Records the calls that the recording has. */
function recording(
  runtime: ReturnType<typeof createSimulatedRuntime>,
  calls: RecordedCall[],
): Runtime & ReturnType<typeof createSimulatedRuntime> {
  const own = Object.create(runtime) as ReturnType<typeof createSimulatedRuntime>
  return Object.assign(own, {
    async createContainer(...[sandbox, spec, signal]: Parameters<Runtime['createContainer']>) {
      const { cpus, memoryNodes, cpuQuotaUs, cpuShares } = spec.resources
      calls.push({
        call: 'CreateContainer',
        pod: spec.pod.name,
        container: spec.name,
        ...(cpuQuotaUs !== undefined && { cpu_quota: cpuQuotaUs }),
        ...(cpuShares !== undefined && { cpu_shares: cpuShares }),
        ...(cpus !== undefined && { cpuset_cpus: cpus }),
        ...(memoryNodes !== undefined && { cpuset_mems: memoryNodes }),
      })
      return runtime.createContainer(sandbox, spec, signal)
    },
    async updateResources(...[id, resources, signal]: Parameters<Runtime['updateResources']>) {
      const container = (await runtime.containers({}, signal)).find((c) => c.id === id)
      const { cpus, memoryNodes } = resources
      calls.push({
        call: 'UpdateContainerResources',
        pod: container?.pod.name ?? '',
        container: container?.name ?? '',
        ...(cpus !== undefined && { cpuset_cpus: cpus }),
        ...(memoryNodes !== undefined && { cpuset_mems: memoryNodes }),
      })
      return runtime.updateResources(id, resources, signal)
    },
  })
}

function podOf(fact: RecordedFact): Pod {
  const isInit = (c: RecordedContainer) => c.init === true
  const container = ({ name, restartPolicy, resources, init }: RecordedContainer): Container => ({
    name,
    image: init === true && restartPolicy === undefined ? 'done' : 'app',
    ...(restartPolicy !== undefined && { restartPolicy }),
    ...(resources != null && { resources }),
  })
  const all = fact.containers ?? []
  const initContainers = all.filter(isInit).map(container)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: fact.pod ?? '', namespace: 'default' },
    spec: {
      nodeName: 'node-1',
      automountServiceAccountToken: false,
      containers: all.filter((c) => !isInit(c)).map(container),
      ...(initContainers.length > 0 && { initContainers }),
    },
  }
}
