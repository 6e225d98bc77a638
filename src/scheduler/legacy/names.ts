import type { JsonObject } from '../../machinery/object.ts'

/** A plugin of today that does what a predicate or a priority once did. */
export interface Successor {
  readonly plugin: string
  readonly args?: JsonObject
}

const GENERAL = ['NodeResourcesFit', 'NodeName', 'NodePorts', 'NodeAffinity'] as const
const one = (plugin: string, args?: JsonObject): readonly Successor[] => [args === undefined ? { plugin } : { plugin, args }]

/** Conditions of nodes have become taints, and taints are what `TaintToleration` looks at. */
const AS_TAINTS = one('TaintToleration')
/** Volumes of cloud providers have become CSI volumes, and are counted as such. */
const AS_CSI = one('NodeVolumeLimits')

/** Predicates by every name that Kubernetes gave them, from 1.0 to 1.22. */
export const PREDICATES: Readonly<Record<string, readonly Successor[]>> = {
  CheckNodeUnschedulable: one('NodeUnschedulable'),
  GeneralPredicates: GENERAL.map((plugin) => ({ plugin })),
  HostName: one('NodeName'),
  PodFitsHost: one('NodeName'),
  PodFitsHostPorts: one('NodePorts'),
  PodFitsPorts: one('NodePorts'),
  MatchNodeSelector: one('NodeAffinity'),
  PodFitsResources: one('NodeResourcesFit'),
  NoDiskConflict: one('VolumeRestrictions'),
  PodToleratesNodeTaints: one('TaintToleration'),
  PodToleratesNodeNoExecuteTaints: one('TaintToleration'),
  CheckNodeCondition: AS_TAINTS,
  CheckNodeMemoryPressure: AS_TAINTS,
  CheckNodeDiskPressure: AS_TAINTS,
  CheckNodePIDPressure: AS_TAINTS,
  MaxEBSVolumeCount: AS_CSI,
  MaxGCEPDVolumeCount: AS_CSI,
  MaxAzureDiskVolumeCount: AS_CSI,
  MaxCinderVolumeCount: AS_CSI,
  MaxCSIVolumeCountPred: one('NodeVolumeLimits'),
  CheckVolumeBinding: one('VolumeBinding'),
  NoVolumeNodeConflict: one('VolumeBinding'),
  NoVolumeZoneConflict: one('VolumeZone'),
  EvenPodsSpread: one('PodTopologySpread'),
  MatchInterPodAffinity: one('InterPodAffinity'),
}

/** Predicates that no policy could switch off. */
export const MANDATORY_PREDICATES = ['CheckNodeUnschedulable', 'PodToleratesNodeTaints'] as const

const strategy = (type: string) => one('NodeResourcesFit', { scoringStrategy: { type } })

/** Priorities by every name that Kubernetes gave them; none: every node had the same. */
export const PRIORITIES: Readonly<Record<string, readonly Successor[]>> = {
  EqualPriority: [],
  LeastRequestedPriority: strategy('LeastAllocated'),
  MostRequestedPriority: strategy('MostAllocated'),
  BalancedResourceAllocation: one('NodeResourcesBalancedAllocation'),
  SelectorSpreadPriority: one('SelectorSpreadPriority', { selectorSpread: {} }),
  ServiceSpreadingPriority: one('ServiceSpreadingPriority', { selectorSpread: { servicesOnly: true } }),
  EvenPodsSpreadPriority: one('PodTopologySpread'),
  InterPodAffinityPriority: one('InterPodAffinity'),
  NodeAffinityPriority: one('NodeAffinity'),
  TaintTolerationPriority: one('TaintToleration'),
  ImageLocalityPriority: one('ImageLocality'),
  NodePreferAvoidPodsPriority: one('NodePreferAvoidPodsPriority', { preferAvoidPods: {} }),
  ResourceLimitsPriority: one('ResourceLimitsPriority', { resourceLimits: {} }),
}
