/** The extension points of the framework in the order in which upstream fills them, by their names in a configuration. */
export const POINTS = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
  'placementGenerate',
  'placementScore',
] as const

export type Point = (typeof POINTS)[number]

/** `PreFilterPlugin`: what errors call the plugins of a point. */
export const pluginTypeOf = (point: Point): string => `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`

/** The points at which upstream's plugins take part. What one of ours does for PreFilter and PreScore it does in `filter` and `score`. */
const PLUGIN_POINTS: Readonly<Record<string, readonly Point[]>> = {
  SchedulingGates: ['preEnqueue'],
  PrioritySort: ['queueSort'],
  NodeUnschedulable: ['filter'],
  NodeName: ['filter'],
  TaintToleration: ['filter', 'preScore', 'score'],
  NodeAffinity: ['preFilter', 'filter', 'preScore', 'score'],
  NodePorts: ['preFilter', 'filter'],
  NodeResourcesFit: ['preFilter', 'filter', 'preScore', 'score', 'placementScore'],
  VolumeRestrictions: ['preFilter', 'filter'],
  NodeVolumeLimits: ['preFilter', 'filter'],
  VolumeBinding: ['preFilter', 'filter', 'preScore', 'score', 'reserve', 'preBind'],
  VolumeZone: ['preFilter', 'filter'],
  PodTopologySpread: ['preFilter', 'filter', 'preScore', 'score'],
  InterPodAffinity: ['preFilter', 'filter', 'preScore', 'score'],
  DynamicResources: ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind'],
  DefaultPreemption: ['preEnqueue', 'postFilter'],
  NodeResourcesBalancedAllocation: ['preScore', 'score'],
  ImageLocality: ['score'],
  DefaultBinder: ['bind'],
  NodeDeclaredFeatures: ['preFilter', 'filter'],
  GangScheduling: ['preEnqueue', 'permit'],
  TopologyPlacementGenerator: ['placementGenerate'],
}

/** The points of one of upstream's plugins; undefined for a name that is none of theirs. */
export const pointsOf = (plugin: string): readonly Point[] | undefined =>
  Object.hasOwn(PLUGIN_POINTS, plugin) ? PLUGIN_POINTS[plugin] : undefined
