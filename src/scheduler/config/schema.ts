import {
  type GoStruct,
  type GoType,
  goAny,
  goBool,
  goBytes,
  goDuration,
  goFloat32,
  goInt32,
  goInt64,
  goString,
  listOf,
  struct,
} from '../../machinery/go/go-type.ts'
import { POINTS } from '../framework/extension-points.ts'

/** The types of `kubescheduler.config.k8s.io/v1`, as upstream's decoder sees them. */
export const GROUP_VERSION = 'kubescheduler.config.k8s.io/v1'
export const KIND = 'KubeSchedulerConfiguration'

const TYPE_META = { apiVersion: goString, kind: goString }

const PLUGIN_SET = struct('v1.PluginSet', {
  enabled: listOf(struct('v1.Plugin', { name: goString, weight: goInt32 })),
  disabled: listOf(struct('v1.Plugin', { name: goString, weight: goInt32 })),
})

const PLUGINS = struct('v1.Plugins', Object.fromEntries([...POINTS, 'multiPoint'].map((point) => [point, PLUGIN_SET])))

const PROFILE = struct('v1.KubeSchedulerProfile', {
  schedulerName: goString,
  percentageOfNodesToScore: goInt32,
  plugins: PLUGINS,
  pluginConfig: listOf(struct('v1.PluginConfig', { name: goString, args: goAny })),
})

const EXTENDER = struct('v1.Extender', {
  urlPrefix: goString,
  filterVerb: goString,
  preemptVerb: goString,
  prioritizeVerb: goString,
  weight: goInt64,
  bindVerb: goString,
  enableHTTPS: goBool,
  tlsConfig: struct('v1.ExtenderTLSConfig', {
    insecure: goBool,
    serverName: goString,
    certFile: goString,
    keyFile: goString,
    caFile: goString,
    certData: goBytes,
    keyData: goBytes,
    caData: goBytes,
  }),
  httpTimeout: goDuration,
  nodeCacheCapable: goBool,
  managedResources: listOf(struct('v1.ExtenderManagedResource', { name: goString, ignoredByScheduler: goBool })),
  ignorable: goBool,
})

export const CONFIGURATION: GoStruct = struct('v1.KubeSchedulerConfiguration', {
  ...TYPE_META,
  parallelism: goInt32,
  leaderElection: struct('v1alpha1.LeaderElectionConfiguration', {
    leaderElect: goBool,
    leaseDuration: goDuration,
    renewDeadline: goDuration,
    retryPeriod: goDuration,
    resourceLock: goString,
    resourceName: goString,
    resourceNamespace: goString,
  }),
  clientConnection: struct('v1alpha1.ClientConnectionConfiguration', {
    kubeconfig: goString,
    acceptContentTypes: goString,
    contentType: goString,
    qps: goFloat32,
    burst: goInt32,
  }),
  enableProfiling: goBool,
  enableContentionProfiling: goBool,
  percentageOfNodesToScore: goInt32,
  podInitialBackoffSeconds: goInt64,
  podMaxBackoffSeconds: goInt64,
  profiles: listOf(PROFILE),
  extenders: listOf(EXTENDER),
  delayCacheUntilActive: goBool,
})

const RESOURCE_SPECS = listOf(struct('v1.ResourceSpec', { name: goString, weight: goInt64 }))
const UTILIZATION_SHAPE = listOf(struct('v1.UtilizationShapePoint', { utilization: goInt32, score: goInt32 }))

const REQUIREMENTS = listOf(struct('v1.NodeSelectorRequirement', { key: goString, operator: goString, values: listOf(goString) }))
const NODE_TERM = struct('v1.NodeSelectorTerm', { matchExpressions: REQUIREMENTS, matchFields: REQUIREMENTS })
const NODE_AFFINITY = struct('v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: struct('v1.NodeSelector', { nodeSelectorTerms: listOf(NODE_TERM) }),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(struct('v1.PreferredSchedulingTerm', { weight: goInt32, preference: NODE_TERM })),
})

const LABEL_SELECTOR: GoType = struct('v1.LabelSelector', {
  matchLabels: { kind: 'map', of: goString },
  matchExpressions: listOf(struct('v1.LabelSelectorRequirement', { key: goString, operator: goString, values: listOf(goString) })),
})

/** The arguments of the plugins that have any. */
export const ARGS: Readonly<Record<string, GoStruct>> = {
  DefaultPreemption: struct('v1.DefaultPreemptionArgs', {
    ...TYPE_META,
    minCandidateNodesPercentage: goInt32,
    minCandidateNodesAbsolute: goInt32,
  }),
  DynamicResources: struct('v1.DynamicResourcesArgs', { ...TYPE_META, filterTimeout: goDuration, bindingTimeout: goDuration }),
  InterPodAffinity: struct('v1.InterPodAffinityArgs', {
    ...TYPE_META,
    hardPodAffinityWeight: goInt32,
    ignorePreferredTermsOfExistingPods: goBool,
  }),
  NodeAffinity: struct('v1.NodeAffinityArgs', { ...TYPE_META, addedAffinity: NODE_AFFINITY }),
  NodeResourcesBalancedAllocation: struct('v1.NodeResourcesBalancedAllocationArgs', { ...TYPE_META, resources: RESOURCE_SPECS }),
  NodeResourcesFit: struct('v1.NodeResourcesFitArgs', {
    ...TYPE_META,
    ignoredResources: listOf(goString),
    ignoredResourceGroups: listOf(goString),
    scoringStrategy: struct('v1.ScoringStrategy', {
      type: goString,
      resources: RESOURCE_SPECS,
      requestedToCapacityRatio: struct('v1.RequestedToCapacityRatioParam', { shape: UTILIZATION_SHAPE }),
    }),
  }),
  PodTopologySpread: struct('v1.PodTopologySpreadArgs', {
    ...TYPE_META,
    defaultConstraints: listOf(
      struct('v1.TopologySpreadConstraint', {
        maxSkew: goInt32,
        topologyKey: goString,
        whenUnsatisfiable: goString,
        labelSelector: LABEL_SELECTOR,
        minDomains: goInt32,
        nodeAffinityPolicy: goString,
        nodeTaintsPolicy: goString,
        matchLabelKeys: listOf(goString),
      }),
    ),
    defaultingType: goString,
  }),
  VolumeBinding: struct('v1.VolumeBindingArgs', { ...TYPE_META, bindTimeoutSeconds: goInt64, shape: UTILIZATION_SHAPE }),
}
