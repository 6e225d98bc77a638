import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { NodeAgent } from '../../node/agent.ts'
import type { DynamicResources } from '../../node/allocation/claims/dynamic-resources.ts'
import type { DescribedResource } from '../../node/allocation/devices/described/description.ts'
import type { DeviceManager } from '../../node/allocation/devices/device-manager.ts'
import type { OtherResources } from '../../node/allocation/devices/pod-resources-service.ts'
import type { NodeFeed } from '../../node/feed.ts'
import type { MetricSource } from '../../node/metrics/metric-source.ts'
import type { PluginTaker } from '../../node/plugins/plugin-registry.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'

/** The sources of the nodes' devices. */
export interface DeviceSetup {
  /** The folder where device plugins find a node. */
  readonly folder: (nodeName: string) => string
  readonly described: readonly DescribedResource[]
}

export interface NodeDevicesDeps {
  /** Authenticates as the node. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly agent: () => NodeAgent | undefined
  /** With a topology manager: the other resources of pods. */
  readonly held?: (() => OtherResources | undefined) | undefined
  /** Another part of the node watches the registry, with the handlers of `NodeDevices.takers`. */
  readonly registryIsWatched?: boolean
}

/** The devices of one node. */
export interface NodeDevices extends AsyncDisposable {
  readonly manager: DeviceManager
  readonly metrics: MetricSource
  /** The same for devices of resource claims. */
  readonly claims: DynamicResources
  /** Handlers of plugins that are found in the registry, by type. */
  readonly takers: ReadonlyMap<string, PluginTaker>
  /** Called with each version of the Node. */
  observe(node: Node): void
}

/** The device manager of a node with its sockets, and its described devices. Loads the code. */
export async function openNodeDevices(
  name: string,
  setup: DeviceSetup,
  { client, clock, log, agent, held, registryIsWatched = false }: NodeDevicesDeps,
): Promise<NodeDevices> {
  const load = () => import('../../node/allocation/devices-entry.ts')
  const parts = await holding(clock, 'loading devices', load)
  const { openDevices, openDynamicResources, deviceFolders, createDeviceMetrics, serveDescribed } = parts
  const folders = deviceFolders(setup.folder(name))
  const metrics = createDeviceMetrics()
  const notify = (reason: string, message: string) => agent()?.recordNodeEvent('Warning', reason, message)
  const claims = openDynamicResources(folders, { client, clock, log, nodeName: name, notify })
  const devices = await openDevices(folders, {
    clock,
    log,
    metrics,
    notify,
    pods: () => agent()?.pods() ?? [],
    pod: (namespace, podName) => agent()?.pod(namespace, podName),
    ...(held && { led: true }),
    others: { ...(held && laterHeld(held)), claims: (pod, container) => claims.held(pod, container) },
    registryIsWatched,
    takers: new Map([[parts.DRA_PLUGIN_TYPE, parts.driverTaker(claims, { clock })]]),
  })
  claims.start()
  const { described: resources } = setup
  const described =
    resources.length === 0 ? undefined : await serveDescribed({ nodeName: name, folder: folders.plugins, resources, clock, log })
  return {
    manager: devices.manager,
    metrics,
    claims,
    takers: devices.takers,
    observe: (node) => described?.observe(node),
    async [Symbol.asyncDispose]() {
      await described?.[Symbol.asyncDispose]()
      await devices[Symbol.asyncDispose]()
      await claims[Symbol.asyncDispose]()
    },
  }
}

/** Late binding: the topology manager is created after the devices that it drives. */
const laterHeld = (held: () => OtherResources | undefined): OtherResources => ({
  cpus: (uid, container) => held()?.cpus?.(uid, container) ?? [],
  memory: (uid, container) => held()?.memory?.(uid, container) ?? [],
  allocatableCpus: () => held()?.allocatableCpus?.() ?? [],
  allocatableMemory: () => held()?.allocatableMemory?.() ?? [],
})

/** The same feed, but the devices get each Node first. */
export function withDevices(feed: NodeFeed, devices: NodeDevices | undefined): NodeFeed {
  if (devices === undefined) return feed
  return {
    synced: feed.synced,
    pod: (nodeName, namespace, name) => feed.pod(nodeName, namespace, name),
    services: (namespace) => feed.services(namespace),
    follow: (nodeName, follower) =>
      feed.follow(nodeName, {
        node(node) {
          devices.observe(node)
          follower.node(node)
        },
        pod: (pod) => follower.pod(pod),
        podGone: (pod) => follower.podGone(pod),
      }),
  }
}
