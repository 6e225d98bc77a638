import type { Point } from '../framework/extension-points.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { defaultBinder } from './default-binder.ts'
import { defaultPreemption } from './default-preemption.ts'
import { dynamicResources } from './dynamic-resources.ts'
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
  /** Whether the default profile enables it. */
  readonly isDefault: boolean
  /** The weight of its score in the default profile; 0 for a plugin without a score. */
  readonly weight: number
  /** The points that it extends, as configurations name them. Its PreFilter and PreScore are parts of `filter` and `score` here. */
  readonly points: readonly Point[]
}

/**
 * All plugins, in the order of the default profile. The last two belong to alpha features that are off by default in 1.36: they do nothing.
 */
export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = [
  { name: 'SchedulingGates', create: schedulingGates, isDefault: true, weight: 0, points: ['preEnqueue'] },
  { name: 'PrioritySort', create: prioritySort, isDefault: true, weight: 0, points: ['queueSort'] },
  { name: 'NodeUnschedulable', create: nodeUnschedulable, isDefault: true, weight: 0, points: ['filter'] },
  { name: 'NodeName', create: nodeName, isDefault: true, weight: 0, points: ['filter'] },
  { name: 'TaintToleration', create: taintToleration, isDefault: true, weight: 3, points: ['filter', 'preScore', 'score'] },
  { name: 'NodeAffinity', create: nodeAffinity, isDefault: true, weight: 2, points: ['preFilter', 'filter', 'preScore', 'score'] },
  { name: 'NodePorts', create: nodePorts, isDefault: true, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'NodeResourcesFit',
    create: nodeResourcesFit,
    isDefault: true,
    weight: 1,
    points: ['preFilter', 'filter', 'preScore', 'score', 'placementScore'],
  },
  { name: 'VolumeRestrictions', create: volumeRestrictions, isDefault: true, weight: 0, points: ['preFilter', 'filter'] },
  { name: 'NodeVolumeLimits', create: nodeVolumeLimits, isDefault: true, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'VolumeBinding',
    create: volumeBinding,
    isDefault: true,
    weight: 0,
    points: ['preFilter', 'filter', 'preScore', 'score', 'reserve', 'preBind'],
  },
  { name: 'VolumeZone', create: volumeZone, isDefault: true, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'PodTopologySpread',
    create: podTopologySpread,
    isDefault: true,
    weight: 2,
    points: ['preFilter', 'filter', 'preScore', 'score'],
  },
  { name: 'InterPodAffinity', create: interPodAffinity, isDefault: true, weight: 2, points: ['preFilter', 'filter', 'preScore', 'score'] },
  {
    name: 'DynamicResources',
    create: dynamicResources,
    isDefault: true,
    weight: 2,
    points: ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind'],
  },
  { name: 'DefaultPreemption', create: defaultPreemption, isDefault: true, weight: 0, points: ['preEnqueue', 'postFilter'] },
  {
    name: 'NodeResourcesBalancedAllocation',
    create: nodeResourcesBalancedAllocation,
    isDefault: true,
    weight: 1,
    points: ['preScore', 'score'],
  },
  { name: 'ImageLocality', create: imageLocality, isDefault: true, weight: 1, points: ['score'] },
  { name: 'DefaultBinder', create: defaultBinder, isDefault: true, weight: 0, points: ['bind'] },
  { name: 'NodeDeclaredFeatures', create: nodeDeclaredFeatures, isDefault: true, weight: 0, points: ['preFilter', 'filter'] },
  {
    name: 'GangScheduling',
    create: () => ({ name: 'GangScheduling', scope: 'node' }),
    isDefault: false,
    weight: 0,
    points: ['preEnqueue', 'permit'],
  },
  {
    name: 'TopologyPlacementGenerator',
    create: () => ({ name: 'TopologyPlacementGenerator', scope: 'node' }),
    isDefault: false,
    weight: 0,
    points: ['placementGenerate'],
  },
]

/** The plugins that the default profile enables, as a configuration writes them. */
export const DEFAULT_PLUGINS: readonly { readonly name: string; readonly weight: number }[] = BUILTIN_PLUGINS.filter(
  (plugin) => plugin.isDefault,
).map(({ name, weight }) => ({ name, weight }))

const BY_NAME: ReadonlyMap<string, BuiltinPlugin> = new Map(BUILTIN_PLUGINS.map((plugin) => [plugin.name, plugin]))

export const builtinPlugin = (name: string): BuiltinPlugin | undefined => BY_NAME.get(name)
