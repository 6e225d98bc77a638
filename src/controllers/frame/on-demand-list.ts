import type { KubeObject } from '../../machinery/object.ts'
import { PROVISIONED_BY, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import {
  CERTIFICATE_SIGNING_REQUESTS,
  CONFIG_MAPS,
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINTS,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  RESOURCE_CLAIMS,
  RESOURCE_QUOTAS,
  SECRETS,
  SERVICE_CIDRS,
  SERVICES,
  STATEFUL_SETS,
  VALIDATING_ADMISSION_POLICIES,
  VOLUME_ATTACHMENTS,
  VOLUME_ATTRIBUTES_CLASSES,
} from '../../sdk/client/refs.ts'
import type { NodeRanges } from '../node-ipam/ranges.ts'
import type { OnDemandController } from './on-demand.ts'

// Written out, so that no controller's code is loaded for them.
const isMirrored = ({ metadata: { labels = {}, annotations = {} } }: KubeObject) =>
  labels['endpoints.kubernetes.io/managed-by'] === undefined &&
  labels['endpointslice.kubernetes.io/skip-mirror'] !== 'true' &&
  annotations['control-plane.alpha.kubernetes.io/leader'] === undefined
/** Endpoints that were made for a selector stay when it goes, and are mirrored then. That of the API server never had one. */
const hasLostSelector = ({ metadata, spec }: KubeObject) =>
  !spec?.selector && spec?.type !== 'ExternalName' && !(metadata.namespace === 'default' && metadata.name === 'kubernetes')
const hasEphemeralVolumes = (pod: KubeObject) => (pod.spec?.volumes ?? []).some((v: { ephemeral?: object }) => v.ephemeral !== undefined)
const isSimulated = ({ metadata: { annotations = {} } }: KubeObject) =>
  (annotations[STORAGE_PROVISIONER] ?? annotations[PROVISIONED_BY]) === 'bowsprit.dev/simulated'
const wantsMore = ({ spec, status }: KubeObject) =>
  status?.phase === 'Bound' && spec?.resources?.requests?.storage !== status.capacity?.storage
const isToGo = (pod: KubeObject) =>
  pod.metadata.deletionTimestamp === undefined &&
  (pod.status?.conditions ?? []).some((c: { type: string; status: string }) => c.type === 'DisruptionTarget' && c.status === 'True')
const isBootstrapToken = ({ type, metadata }: KubeObject) =>
  type === 'bootstrap.kubernetes.io/token' && metadata.namespace === 'kube-system'
const isClusterInfo = ({ metadata }: KubeObject) => metadata.name === 'cluster-info' && metadata.namespace === 'kube-public'
const hasSelector = (service: KubeObject) => Boolean(service.spec?.selector)

/** Waits for a node; only where it is said which addresses nodes get. */
export const nodeIpam = (ranges: NodeRanges): OnDemandController => ({
  name: 'node-ipam',
  wakes: [NODES],
  load: async () => {
    const { createNodeIpamController } = await import('../node-ipam/controller.ts')
    return (deps) => createNodeIpamController(deps, ranges)
  },
})

/** The controllers that wait until there is something to do for them. */
export const ON_DEMAND: readonly OnDemandController[] = [
  { name: 'deployment', wakes: [DEPLOYMENTS], load: async () => (await import('../deployment/controller.ts')).createDeploymentController },
  {
    name: 'replica-set',
    wakes: [REPLICA_SETS],
    load: async () => (await import('../replica-set/controller.ts')).createReplicaSetController,
  },
  {
    name: 'replication-controller',
    wakes: [REPLICATION_CONTROLLERS],
    load: async () => (await import('../replica-set/controller.ts')).createReplicationController,
  },
  {
    name: 'endpoint-slice',
    wakes: [SERVICES],
    caresFor: hasSelector,
    load: async () => (await import('../endpoint-slice/controller.ts')).createEndpointSliceController,
  },
  {
    name: 'endpoints',
    wakes: [SERVICES],
    // With a service its endpoints go, those that somebody wrote too.
    caresFor: (service) => hasSelector(service) || hasLostSelector(service),
    load: async () => (await import('../endpoints/controller.ts')).createEndpointsController,
  },
  {
    name: 'endpoint-slice-mirroring',
    wakes: [ENDPOINTS, SERVICES],
    caresFor: (object) => (object.kind === 'Service' ? hasLostSelector(object) : isMirrored(object)),
    load: async () => (await import('../endpoint-slice-mirroring/controller.ts')).createEndpointSliceMirroringController,
  },
  {
    name: 'service-account-token',
    wakes: [SECRETS],
    caresFor: (secret) => secret.type === 'kubernetes.io/service-account-token',
    load: async () => (await import('../service-account-token/controller.ts')).createServiceAccountTokenController,
  },
  {
    name: 'legacy-service-account-token-cleaner',
    wakes: [SECRETS],
    caresFor: (secret) => secret.type === 'kubernetes.io/service-account-token',
    load: async () => (await import('../legacy-token-cleaner/controller.ts')).createLegacyTokenCleaner,
  },
  {
    name: 'bootstrap-signer',
    wakes: [CONFIG_MAPS],
    caresFor: isClusterInfo,
    load: async () => (await import('../bootstrap-token/signer.ts')).createBootstrapSigner,
  },
  {
    name: 'token-cleaner',
    wakes: [SECRETS],
    caresFor: isBootstrapToken,
    load: async () => (await import('../bootstrap-token/cleaner.ts')).createTokenCleaner,
  },
  {
    name: 'ephemeral-volume',
    wakes: [PODS],
    caresFor: hasEphemeralVolumes,
    load: async () => (await import('../ephemeral-volume/controller.ts')).createEphemeralVolumeController,
  },
  { name: 'job', wakes: [JOBS], load: async () => (await import('../job/controller.ts')).createJobController },
  { name: 'ttl-after-finished', wakes: [JOBS], load: async () => (await import('../ttl/controller.ts')).createTtlController },
  { name: 'cron-job', wakes: [CRON_JOBS], load: async () => (await import('../cron-job/controller.ts')).createCronJobController },
  {
    name: 'stateful-set',
    wakes: [STATEFUL_SETS],
    load: async () => (await import('../stateful-set/controller.ts')).createStatefulSetController,
  },
  { name: 'daemon-set', wakes: [DAEMON_SETS], load: async () => (await import('../daemon-set/controller.ts')).createDaemonSetController },
  {
    name: 'resource-claim',
    wakes: [PODS, RESOURCE_CLAIMS],
    caresFor: (object) => object.kind !== 'Pod' || (object.spec?.resourceClaims?.length ?? 0) > 0,
    load: async () => (await import('../resource-claim/controller.ts')).createResourceClaimController,
  },
  {
    name: 'device-taint-eviction',
    wakes: [RESOURCE_CLAIMS],
    load: async () => (await import('../device-taint-eviction/controller.ts')).createDeviceTaintEvictionController,
  },
  { name: 'quota', wakes: [RESOURCE_QUOTAS], load: async () => (await import('../quota/controller.ts')).createQuotaController },
  {
    name: 'disruption',
    wakes: [POD_DISRUPTION_BUDGETS],
    load: async () => (await import('../disruption/controller.ts')).createDisruptionController,
  },
  {
    name: 'stale-disruption',
    wakes: [PODS],
    caresFor: isToGo,
    load: async () => (await import('../disruption/stale-controller.ts')).createStaleDisruptionController,
  },
  {
    name: 'horizontal-autoscaler',
    wakes: [HORIZONTAL_POD_AUTOSCALERS],
    load: async () => (await import('../horizontal-autoscaler/controller.ts')).createHorizontalAutoscaler,
  },
  {
    name: 'certificates',
    wakes: [CERTIFICATE_SIGNING_REQUESTS],
    load: async () => (await import('../certificates/controller.ts')).createCertificateController,
  },
  {
    name: 'volume-binder',
    wakes: [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES],
    load: async () => (await import('../volume-binder/controller.ts')).createVolumeBinder,
  },
  {
    name: 'volume-provisioner',
    wakes: [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES],
    caresFor: isSimulated,
    load: async () => (await import('../volume-provisioner/controller.ts')).createVolumeProvisioner,
  },
  {
    name: 'volume-expander',
    wakes: [PERSISTENT_VOLUME_CLAIMS],
    caresFor: wantsMore,
    load: async () => (await import('../volume-expander/controller.ts')).createVolumeExpander,
  },
  {
    name: 'service-cidr',
    wakes: [SERVICE_CIDRS],
    load: async () => (await import('../service-cidr/controller.ts')).createServiceCidrController,
  },
  {
    name: 'attributes-class-protection',
    wakes: [VOLUME_ATTRIBUTES_CLASSES],
    load: async () => (await import('../protection/attributes-class-controller.ts')).createAttributesClassProtection,
  },
  {
    name: 'attach-detach',
    wakes: [PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS],
    caresFor: (object) => object.kind === 'VolumeAttachment' || object.spec?.csi !== undefined,
    load: async () => (await import('../attach-detach/controller.ts')).createAttachDetachController,
  },
  {
    name: 'volume-protection',
    wakes: [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES],
    load: async () => (await import('../protection/controller.ts')).createProtectionController,
  },
  {
    name: 'policy-status',
    wakes: [VALIDATING_ADMISSION_POLICIES],
    load: async () => (await import('../policy-status/controller.ts')).createPolicyStatusController,
  },
]
