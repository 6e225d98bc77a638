import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import type { Random } from '../../base/random.ts'
import { NodeAgent } from '../../node/agent.ts'
import type { DynamicResources } from '../../node/allocation/claims/dynamic-resources.ts'
import { DRA_PLUGIN_TYPE, driverTaker, openDynamicResources } from '../../node/allocation/claims/open-dynamic-resources.ts'
import { createDeviceMetrics } from '../../node/allocation/devices/device-metrics.ts'
import { type Devices, openDevices } from '../../node/allocation/devices/open-devices.ts'
import { createSharedFeed } from '../../node/feed.ts'
import type { DeviceFolders } from '../../node/plugins/device-folders.ts'
import type { Runtime } from '../../node/runtime/runtime.ts'
import { createSimulatedNetwork } from '../../node/runtime/simulated/simulated-network.ts'
import type { SimulatedRuntime } from '../../node/runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE } from '../../node/status/node-object.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createInformerFactory } from '../../sdk/informer/informer-factory.ts'

export interface TrialAgentDeps {
  readonly client: Client
  readonly folders: DeviceFolders
  readonly random: Random
  /** What the network belongs to. */
  readonly simulated: SimulatedRuntime
  /** What the agent calls. */
  readonly runtime: Runtime
}

const API_SERVER_RETRY_MS = 20

/** One run of the agent of `node-1`, from its start to its end. Its end touches no container. */
export class TrialAgent implements AsyncDisposable {
  readonly devices: Devices
  readonly #claims: DynamicResources
  readonly #agent: NodeAgent
  readonly #stop = new AbortController()
  readonly #ended: Promise<unknown>

  static async start(deps: TrialAgentDeps): Promise<TrialAgent> {
    const log = silentLogger
    const clock = systemClock
    let agent: NodeAgent | undefined
    const notify = (reason: string, message: string) => agent?.recordNodeEvent('Warning', reason, message)
    const claims = openDynamicResources(deps.folders, { client: deps.client, clock, log, nodeName: 'node-1', notify })
    const devices = await openDevices(deps.folders, {
      clock,
      log,
      metrics: createDeviceMetrics(),
      notify,
      pods: () => agent?.pods() ?? [],
      pod: (namespace, name) => agent?.pod(namespace, name),
      others: { claims: (pod, container) => claims.held(pod, container) },
      takers: new Map([[DRA_PLUGIN_TYPE, driverTaker(claims, { clock })]]),
    })
    claims.start()
    const started = new TrialAgent(deps, devices, claims)
    agent = started.#agent
    return started
  }

  private constructor({ client, random, simulated, runtime }: TrialAgentDeps, devices: Devices, claims: DynamicResources) {
    this.devices = devices
    this.#claims = claims
    const shared = { client, clock: systemClock, log: silentLogger }
    const feed = createSharedFeed(createInformerFactory({ ...shared, random }))
    this.#agent = new NodeAgent(
      { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids: { machineId: 'm', bootId: 'b' } },
      {
        ...shared,
        feed,
        runtime,
        network: createSimulatedNetwork(simulated),
        admission: [claims, devices.manager],
        sources: [devices.manager],
      },
    )
    this.#ended = Promise.all([feed.run(this.#stop.signal), this.#live()])
  }

  /** How many pods the agent has accepted. */
  get pods(): number {
    return this.#agent.pods().length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#ended
    await this.devices[Symbol.asyncDispose]()
    await this.#claims[Symbol.asyncDispose]()
  }

  async #live(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#agent.register()
        break
      } catch {
        await pause(systemClock, API_SERVER_RETRY_MS, signal)
      }
    }
    await this.#agent.run(signal)
  }
}
