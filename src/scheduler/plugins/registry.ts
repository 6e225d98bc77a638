import type { Point } from '../framework/extension-points.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { defaultBinder } from './default-binder.ts'
import { defaultPreemption } from './default-preemption.ts'
import { dynamicResources } from './dynamic-resources.ts'
import { gangScheduling } from './gang-scheduling.ts'
import { imageLocality } from './image-locality.ts'
import { interPodAffinity } from './inter-pod-affinity.ts'
import { nodeAffinity } from './node-affinity.ts'
import { nodeDeclaredFeatures } from './node-declared-features.ts'
import { nodeName } from './node-name.ts'
import { nodePorts } from './node-ports.ts'
import { nodeResourcesBalancedAllocation } from './node-resources-balanced-allocation.ts'
import { nodeResourcesFit } from './node-resources-fit.ts'
import { nodeUnschedulable } from './node-unschedulable.ts'
import { nodeVolumeLimits } from './node-volume-limits.ts'
import { podTopologySpread } from './pod-topology-spread.ts'
import { prioritySort } from './priority-sort.ts'
import { schedulingGates } from './scheduling-gates.ts'
import { taintToleration } from './taint-toleration.ts'
import { volumeBinding } from './volume-binding.ts'
import { volumeRestrictions } from './volume-restrictions.ts'
import { volumeZone } from './volume-zone.ts'

/** One of Kubernetes' plugins. */
export interface BuiltinPlugin {
  readonly name: string
  readonly create: PluginFactory
  /** The feature gate without which the default profile does not enable it. */
  readonly gate?: string
  /** The weight of its score in the default profile; 0 for a plugin without a score. */
  readonly weight: number
  /** The points that it extends, as configurations name them. Its PreFilter and PreScore are parts of `filter` and `score` here. */
  readonly points: readonly Point[]
}

/**
 * All plugins, in the order of the default profile. TopologyPlacementGenerator does nothing: its gate cannot be turned on.
 */
export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = [
  { name: 'SchedulingGates', create: schedulingGates, weight: 0, points: ['preEnqueue'] },
  { name: 'PrioritySort', create: prioritySort, weight: 0, points: ['queueSort'] },
  { name: 'NodeUnschedulable', create: nodeUnschedulable, weight: 0, points: ['filter'] },
  { name: 'NodeName', create: nodeName, weight: 0, points: ['filter'] },
  { name: 'TaintToleration', create: taintToleration, weight: 3, points: ['filter', 'preScore', 'score'] },
  { name: 'NodeAffinity', create: nodeAffinity, weight: 2, points: ['preFilter', 'filter', 'preScore', 'score'] },
  { name: 'NodePorts', create: nodePorts, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'NodeResourcesFit',
    create: nodeResourcesFit,
    weight: 1,
    points: ['preFilter', 'filter', 'preScore', 'score', 'placementScore'],
  },
  { name: 'VolumeRestrictions', create: volumeRestrictions, weight: 0, points: ['preFilter', 'filter'] },
  { name: 'NodeVolumeLimits', create: nodeVolumeLimits, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'VolumeBinding',
    create: volumeBinding,
    weight: 0,
    points: ['preFilter', 'filter', 'preScore', 'score', 'reserve', 'preBind'],
  },
  { name: 'VolumeZone', create: volumeZone, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'PodTopologySpread',
    create: podTopologySpread,
    weight: 2,
    points: ['preFilter', 'filter', 'preScore', 'score'],
  },
  { name: 'InterPodAffinity', create: interPodAffinity, weight: 2, points: ['preFilter', 'filter', 'preScore', 'score'] },
  {
    name: 'DynamicResources',
    create: dynamicResources,
    weight: 2,
    points: ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind'],
  },
  { name: 'DefaultPreemption', create: defaultPreemption, weight: 0, points: ['preEnqueue', 'postFilter'] },
  {
    name: 'NodeResourcesBalancedAllocation',
    create: nodeResourcesBalancedAllocation,
    weight: 1,
    points: ['preScore', 'score'],
  },
  { name: 'ImageLocality', create: imageLocality, weight: 1, points: ['score'] },
  { name: 'DefaultBinder', create: defaultBinder, weight: 0, points: ['bind'] },
  { name: 'NodeDeclaredFeatures', create: nodeDeclaredFeatures, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'GangScheduling',
    create: gangScheduling,
    gate: 'GangScheduling',
    weight: 0,
    points: ['preEnqueue', 'permit'],
  },
  {
    name: 'TopologyPlacementGenerator',
    create: () => ({ name: 'TopologyPlacementGenerator', scope: 'node' }),
    gate: 'TopologyAwareWorkloadScheduling',
    weight: 0,
    points: ['placementGenerate'],
  },
]

type EnabledPlugin = { readonly name: string; readonly weight: number }

/** The plugins that the default profile enables with these feature gates, as a configuration writes them. */
export const defaultPlugins = (gates: ReadonlySet<string>): readonly EnabledPlugin[] =>
  BUILTIN_PLUGINS.filter(({ gate }) => gate === undefined || gates.has(gate)).map(({ name, weight }) => ({ name, weight }))

/** Those without any gate. */
export const DEFAULT_PLUGINS: readonly EnabledPlugin[] = defaultPlugins(new Set())

const BY_NAME: ReadonlyMap<string, BuiltinPlugin> = new Map(BUILTIN_PLUGINS.map((plugin) => [plugin.name, plugin]))

export const builtinPlugin = (name: string): BuiltinPlugin | undefined => BY_NAME.get(name)
