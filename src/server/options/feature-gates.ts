import { byText } from '../../base/by-text.ts'

/** The feature gates of kube-apiserver 1.36 that may still be set: facts. Those that are generally available are locked. */

/** Beta, on by default. */
const BETA_ON: ReadonlySet<string> = new Set(
  `
  APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions
  CRDObservedGenerationTracking ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz
  ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging DRAConsumableCapacity DRADeviceBindingConditions
  DRADeviceTaints DRAExtendedResource DRAPartitionableDevices DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout
  DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScalingInitContainers
  KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot LoggingBetaOptions
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures NominatedNodeNameForExpectation
  OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist PodDeletionCost PodLevelResources PodReadyToStartContainersCondition
  PodTopologyLabelsAdmission PortForwardWebsockets PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile
  RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
  SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
  StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
  TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO
  WatchCacheInitializationPostStartHook WatchList WatchListClient WindowsGracefulNodeShutdown
  `
    .trim()
    .split(/\s+/),
)

/** Beta, off by default. */
const BETA_OFF: ReadonlySet<string> = new Set(
  `
  AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection DRADeviceTaintRules
  LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet PodCertificateRequest SELinuxMount SchedulerAsyncAPICalls StorageVersionMigrator
  `
    .trim()
    .split(/\s+/),
)

/** Alpha: off by default. */
const ALPHA: ReadonlySet<string> = new Set(
  `
  APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage CPUManagerPolicyAlphaOptions CRIListStreaming
  CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ContainerStopSignals
  ControllerManagerReleaseLeaderElectionLockOnExit CrossNamespaceVolumeDataSource DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims
  EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace LoggingAlphaOptions ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity
  NativeHistograms PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers PodLogsQuerySplitStreams PodsAPI
  QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi ShardedListAndWatch StorageCapacityScoring StorageVersionAPI
  TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity
  WorkloadAwarePreemption WorkloadWithJob
  `
    .trim()
    .split(/\s+/),
)

/** Generally available: on, and locked. */
export const LOCKED: ReadonlySet<string> = new Set(
  `
  APIServerTracing AllowServiceExternalIPs AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors AuthorizeWithSelectors
  BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting CSIServiceAccountTokenSecrets ConsistentListFromCache CustomCPUCFSQuotaPeriod
  CustomResourceFieldSelectors DRAAdminAccess DRAPrioritizedList DeclarativeValidation DisableAllocatorDualWrite DynamicResourceAllocation
  ExecProbeTimeout ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InOrderInformers InPlacePodVerticalScaling
  InformerResourceVersion JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
  KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing LogarithmicScaleDown
  MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount MutatingAdmissionPolicy NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread
  NodeLogQuery NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
  PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation
  RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints
  SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
  StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions
  UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay
  `
    .trim()
    .split(/\s+/),
)

/** Deprecated: off by default. */
const DEPRECATED: ReadonlySet<string> = new Set(
  `
  AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds ChangeContainerStatusOnKubeletRestart DeclarativeValidationTakeover
  GitRepoVolumeDriver KMSv1 KubeletRegistrationGetOnExistsOnly
  SeparateCacheWatchRPC WindowsHostNetwork
  `
    .trim()
    .split(/\s+/),
)

/** Deprecated, and still on by default. */
const DEPRECATED_ON: ReadonlySet<string> = new Set([
  'AggregatedDiscoveryRemoveBetaType',
  'DisableCPUQuotaWithExclusiveCPUs',
  'DisableNodeKubeProxyVersion',
  'KubeletPodResourcesListUseActivePods',
  'ServiceCIDRStatusFieldWiping',
  'StorageNamespaceIndex',
])

/** A feature gate, with its stage in the words of Kubernetes' metrics and its default. */
export interface FeatureGate {
  readonly name: string
  readonly stage: '' | 'ALPHA' | 'BETA' | 'DEPRECATED'
  readonly on: boolean
}

const gatesOf = (names: ReadonlySet<string>, stage: FeatureGate['stage'], on: boolean): FeatureGate[] =>
  [...names].map((name) => ({ name, stage, on }))

/** All of them, by name. */
export const ALL_GATES: readonly FeatureGate[] = [
  ...gatesOf(LOCKED, '', true),
  ...gatesOf(BETA_ON, 'BETA', true),
  ...gatesOf(BETA_OFF, 'BETA', false),
  ...gatesOf(ALPHA, 'ALPHA', false),
  ...gatesOf(DEPRECATED, 'DEPRECATED', false),
  ...gatesOf(DEPRECATED_ON, 'DEPRECATED', true),
].sort((a, b) => byText(a.name, b.name))

const defaults = new Map(ALL_GATES.map(({ name, on }) => [name, on]))

/** The default of a feature gate; undefined: unknown. */
export const defaultOf = (name: string): boolean | undefined => defaults.get(name)
