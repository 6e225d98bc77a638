import {
  type GoType,
  goAny,
  goBool,
  goDuration,
  goFloat32,
  goInt32,
  goInt64,
  goString,
  listOf,
  mapOf,
  struct,
} from '../../machinery/go/go-type.ts'
import type { ReservedMemory } from './reserved-memory.ts'

/** The supported fields of a `KubeletConfiguration` file. An absent field has the kubelet's default. */
export interface WrittenKubeletConfiguration {
  readonly allowedUnsafeSysctls?: readonly string[]
  readonly cgroupRoot?: string
  readonly clusterDNS?: readonly string[]
  readonly clusterDomain?: string
  readonly containerLogMaxFiles?: number
  readonly containerLogMaxSize?: string
  readonly containerLogMonitorInterval?: string
  readonly cpuManagerPolicy?: string
  readonly cpuManagerPolicyOptions?: Readonly<Record<string, string>>
  readonly cpuManagerReconcilePeriod?: string
  readonly enforceNodeAllocatable?: readonly string[]
  readonly evictionHard?: Readonly<Record<string, string>>
  readonly evictionMaxPodGracePeriod?: number
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>
  readonly evictionPressureTransitionPeriod?: string
  readonly evictionSoft?: Readonly<Record<string, string>>
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>
  readonly fileCheckFrequency?: string
  readonly featureGates?: Readonly<Record<string, boolean>>
  readonly httpCheckFrequency?: string
  readonly imageGCHighThresholdPercent?: number
  readonly imageGCLowThresholdPercent?: number
  readonly imageMaximumGCAge?: string
  readonly imageMinimumGCAge?: string
  readonly imagePullCredentialsVerificationPolicy?: string
  readonly kubeReserved?: Readonly<Record<string, string>>
  readonly localStorageCapacityIsolation?: boolean
  readonly maxPods?: number
  readonly memoryManagerPolicy?: string
  readonly mergeDefaultEvictionSettings?: boolean
  readonly podsPerCore?: number
  readonly preloadedImagesVerificationAllowlist?: readonly string[]
  readonly reservedMemory?: readonly ReservedMemory[]
  readonly reservedSystemCPUs?: string
  readonly resolvConf?: string
  readonly rotateCertificates?: boolean
  readonly serverTLSBootstrap?: boolean
  readonly shutdownGracePeriod?: string
  readonly shutdownGracePeriodByPodPriority?: readonly { readonly priority?: number; readonly shutdownGracePeriodSeconds?: number }[]
  readonly shutdownGracePeriodCriticalPods?: string
  readonly staticPodPath?: string
  readonly staticPodURL?: string
  readonly staticPodURLHeader?: Readonly<Record<string, readonly string[]>>
  readonly systemReserved?: Readonly<Record<string, string>>
  readonly topologyManagerPolicy?: string
  readonly topologyManagerPolicyOptions?: Readonly<Record<string, string>>
  readonly topologyManagerScope?: string
  readonly volumePluginDir?: string
  readonly volumeStatsAggPeriod?: string
}

const each = (type: GoType, names: string): Readonly<Record<string, GoType>> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, type]))

/** The supported fields. */
const FOLLOWED: Readonly<Record<keyof WrittenKubeletConfiguration, GoType>> = {
  allowedUnsafeSysctls: listOf(goString),
  clusterDNS: listOf(goString),
  clusterDomain: goString,
  cgroupRoot: goString,
  resolvConf: goString,
  containerLogMaxFiles: goInt32,
  containerLogMaxSize: goString,
  containerLogMonitorInterval: goDuration,
  cpuManagerPolicy: goString,
  cpuManagerPolicyOptions: mapOf(goString),
  cpuManagerReconcilePeriod: goDuration,
  enforceNodeAllocatable: listOf(goString),
  evictionHard: mapOf(goString),
  evictionMaxPodGracePeriod: goInt32,
  evictionMinimumReclaim: mapOf(goString),
  evictionPressureTransitionPeriod: goDuration,
  evictionSoft: mapOf(goString),
  evictionSoftGracePeriod: mapOf(goString),
  fileCheckFrequency: goDuration,
  featureGates: mapOf(goBool),
  httpCheckFrequency: goDuration,
  imagePullCredentialsVerificationPolicy: goString,
  imageGCHighThresholdPercent: goInt32,
  imageGCLowThresholdPercent: goInt32,
  imageMaximumGCAge: goDuration,
  imageMinimumGCAge: goDuration,
  kubeReserved: mapOf(goString),
  localStorageCapacityIsolation: goBool,
  maxPods: goInt32,
  memoryManagerPolicy: goString,
  mergeDefaultEvictionSettings: goBool,
  podsPerCore: goInt32,
  preloadedImagesVerificationAllowlist: listOf(goString),
  reservedMemory: listOf(struct('v1beta1.MemoryReservation', { numaNode: goInt32, limits: mapOf(goString) })),
  reservedSystemCPUs: goString,
  rotateCertificates: goBool,
  serverTLSBootstrap: goBool,
  shutdownGracePeriod: goDuration,
  shutdownGracePeriodByPodPriority: listOf(
    struct('v1beta1.ShutdownGracePeriodByPodPriority', { priority: goInt32, shutdownGracePeriodSeconds: goInt64 }),
  ),
  shutdownGracePeriodCriticalPods: goDuration,
  staticPodPath: goString,
  staticPodURL: goString,
  staticPodURLHeader: mapOf(listOf(goString)),
  systemReserved: mapOf(goString),
  topologyManagerPolicy: goString,
  topologyManagerPolicyOptions: mapOf(goString),
  topologyManagerScope: goString,
  volumePluginDir: goString,
  volumeStatsAggPeriod: goDuration,
}

export const isFollowed = (field: string): boolean => Object.hasOwn(FOLLOWED, field)

/** `kubelet.config.k8s.io/v1beta1 KubeletConfiguration` with all fields of release 1.36; unsupported fields are accepted. */
export const KUBELET_CONFIGURATION = struct('v1beta1.KubeletConfiguration', {
  ...each(
    goBool,
    `enableServer enableDebuggingHandlers enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce
    cpuCFSQuota serializeImagePulls enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification
    enableSystemLogHandler enableSystemLogQuery enableProfilingHandler enableDebugFlagsHandler seccompDefault registerNode
    failCgroupV1`,
  ),
  ...each(
    goString,
    `podLogsDir address tlsCertFile tlsPrivateKeyFile tlsMinVersion
    healthzBindAddress kubeletCgroups systemCgroups cgroupDriver hairpinMode podCIDR contentType
    configMapAndSecretChangeDetectionStrategy showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup
    providerID containerRuntimeEndpoint imageServiceEndpoint memoryReservationPolicy`,
  ),
  ...each(
    goDuration,
    `syncFrequency streamingConnectionIdleTimeout nodeStatusUpdateFrequency nodeStatusReportFrequency
    runtimeRequestTimeout cpuCFSQuotaPeriod
    containerLogMonitorInterval`,
  ),
  ...each(
    goInt32,
    `port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort oomScoreAdj nodeLeaseDurationSeconds
    nodeStatusMaxImages kubeAPIQPS kubeAPIBurst maxParallelImagePulls
    iptablesMasqueradeBit iptablesDropBit containerLogMaxWorkers`,
  ),
  ...each(goInt64, 'podPidsLimit maxOpenFiles'),
  ...each(listOf(goString), 'tlsCipherSuites'),
  ...each(mapOf(goString), 'qosReserved'),
  ...each(goAny, 'authentication authorization memorySwap logging crashLoopBackOff tracing userNamespaces'),
  ...each(listOf(goAny), 'registerWithTaints'),
  tlsCurvePreferences: listOf(goInt32),
  memoryThrottlingFactor: goFloat32,
  ...FOLLOWED,
})
