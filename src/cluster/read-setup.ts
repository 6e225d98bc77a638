import { type Clock, systemClock } from '../base/clock.ts'
import { type Logger, silentLogger } from '../base/logger.ts'
import { type Random, systemRandom } from '../base/random.ts'
import type { InnerClusterDeps } from './cluster.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { type ClusterConfig, completeConfig } from './config.ts'
import { type PodNetworkSetup, podNetworkSetup } from './nodes/pod-network-setup.ts'
import type { PodRanges } from './nodes/pod-ranges.ts'
import { type StaticPodSetup, staticPodSetup } from './nodes/static-pod-setup.ts'
import { type TopologySetup, topologySetup } from './nodes/topology-setup.ts'
import { checkSchedulerConfiguration } from './parts/scheduler-configuration.ts'
import { checkProcesses, checkThreads } from './placement.ts'

/** The input of a cluster: its options with all files read and checked, and the caller's dependencies. Nothing is open yet. */
export interface ClusterSetup {
  readonly options: ClusterOptions
  readonly config: ClusterConfig
  readonly deps: InnerClusterDeps
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Whether there are simulated nodes, and with them a simulated network. */
  readonly simulates: boolean
  readonly nodeNames: readonly string[]
  readonly topology: TopologySetup | undefined
  readonly podRanges: PodRanges | undefined
  readonly staticPods: StaticPodSetup | undefined
  readonly podNetworks: PodNetworkSetup | undefined
}

/** Reads and checks the options. @throws {ConfigError} */
export async function readSetup(options: ClusterOptions, deps: InnerClusterDeps): Promise<ClusterSetup> {
  checkThreads(options, deps)
  const config = completeConfig(typeof options.images === 'string' ? { ...options, images: await imagesIn(options.images) } : options)
  checkProcesses(config.images, deps)
  const { clock = systemClock, random = systemRandom(), log = silentLogger } = deps
  if (config.parts.has('scheduler')) await checkSchedulerConfiguration({ config, clock })
  const hasNodes = config.parts.has('nodes')
  const nodeNames = hasNodes ? namesOf(config) : []
  const topology = await topologySetup(config, nodeNames, { clock, log })
  const podRanges = config.clusterCidr === undefined ? undefined : (await import('./nodes/pod-ranges.ts')).readPodRanges(config)
  return {
    options,
    config,
    deps,
    clock,
    random,
    log,
    simulates: hasNodes && config.nodes > 0 && config.runtime === undefined,
    nodeNames,
    topology,
    podRanges,
    podNetworks: await podNetworkSetup(config, { clock, log }),
    staticPods: await staticPodSetup(config, topology?.kubelet.staticPods, { clock, log }),
  }
}

function namesOf({ nodes, nodeShapes }: ClusterConfig): readonly string[] {
  const plain = Array.from({ length: nodes - nodeShapes.length }, (_, i) => `node-${i + 1}`)
  return [...plain, ...nodeShapes.map(({ name }) => name)]
}

async function imagesIn(file: string) {
  const { loadImages } = await import('./programs/load-images.ts')
  return loadImages(file)
}
