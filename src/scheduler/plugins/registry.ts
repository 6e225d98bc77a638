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

/** The plugins that there are, by name. */
export const PLUGINS: Readonly<Record<string, PluginFactory>> = {
  SchedulingGates: schedulingGates,
  PrioritySort: prioritySort,
  NodeUnschedulable: nodeUnschedulable,
  NodeName: nodeName,
  TaintToleration: taintToleration,
  NodeAffinity: nodeAffinity,
  NodePorts: nodePorts,
  NodeResourcesFit: nodeResourcesFit,
  VolumeRestrictions: volumeRestrictions,
  NodeVolumeLimits: nodeVolumeLimits,
  VolumeBinding: volumeBinding,
  VolumeZone: volumeZone,
  PodTopologySpread: podTopologySpread,
  InterPodAffinity: interPodAffinity,
  DynamicResources: dynamicResources,
  DefaultPreemption: defaultPreemption,
  NodeResourcesBalancedAllocation: nodeResourcesBalancedAllocation,
  ImageLocality: imageLocality,
  DefaultBinder: defaultBinder,
  NodeDeclaredFeatures: nodeDeclaredFeatures,
}

/** The default profile: every plugin in its order, with the weight of its score. */
export const DEFAULT_PLUGINS: readonly { readonly name: string; readonly weight: number }[] = [
  { name: 'SchedulingGates', weight: 0 },
  { name: 'PrioritySort', weight: 0 },
  { name: 'NodeUnschedulable', weight: 0 },
  { name: 'NodeName', weight: 0 },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts', weight: 0 },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'VolumeRestrictions', weight: 0 },
  { name: 'NodeVolumeLimits', weight: 0 },
  { name: 'VolumeBinding', weight: 0 },
  { name: 'VolumeZone', weight: 0 },
  { name: 'PodTopologySpread', weight: 2 },
  { name: 'InterPodAffinity', weight: 2 },
  { name: 'DynamicResources', weight: 2 },
  { name: 'DefaultPreemption', weight: 0 },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder', weight: 0 },
  { name: 'NodeDeclaredFeatures', weight: 0 },
]
