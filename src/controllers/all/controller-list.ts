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
  NAMESPACES,
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
} from '../../resources/refs.ts'
import type { ConfigMap, Endpoints, PersistentVolume, PersistentVolumeClaim, Pod, Secret, Service } from '../../resources/types/core.ts'
import type { CreateController } from '../frame/controller.ts'
import { type OnDemandController, on } from '../frame/on-demand.ts'
import { createController as createGarbageCollector } from '../garbage/controller.ts'
import { createController as createNamespaceController } from '../namespace/controller.ts'
import type { NodeRanges } from '../node-ipam/ranges.ts'
import { createController as createNodeLifecycleController } from '../node-lifecycle/controller.ts'
import { createController as createNodeTtlController } from '../node-ttl/controller.ts'
import { createController as createPodGcController } from '../pod-gc/controller.ts'
import { createController as createRoleAggregationController } from '../role-aggregation/controller.ts'
import { createController as createRootCaController } from '../root-ca/controller.ts'
import { createController as createServiceAccountController } from '../service-account/controller.ts'

// These conditions are spelled out here, so that no controller's code is loaded for them.
const isMirrored = ({ metadata: { labels = {}, annotations = {} } }: Endpoints) =>
  labels['endpoints.kubernetes.io/managed-by'] === undefined &&
  labels['endpointslice.kubernetes.io/skip-mirror'] !== 'true' &&
  annotations['control-plane.alpha.kubernetes.io/leader'] === undefined
/**
 * Endpoints that were created for a selector stay when it is removed, and are mirrored then. The API server's own service never had a
 * selector.
 */
const hasLostSelector = ({ metadata, spec }: Service) =>
  !spec?.selector && spec?.type !== 'ExternalName' && !(metadata.namespace === 'default' && metadata.name === 'kubernetes')
const hasSelector = ({ spec }: Service) => Boolean(spec?.selector)
const hasEphemeralVolumes = ({ spec }: Pod) => (spec.volumes ?? []).some((v) => v.ephemeral !== undefined)
const hasClaims = ({ spec }: Pod) => (spec.resourceClaims ?? []).length > 0
const isSimulated = ({ metadata: { annotations = {} } }: PersistentVolumeClaim | PersistentVolume) =>
  (annotations[STORAGE_PROVISIONER] ?? annotations[PROVISIONED_BY]) === 'bowsprit.dev/simulated'
const wantsMore = ({ spec, status }: PersistentVolumeClaim) =>
  status?.phase === 'Bound' && spec?.resources?.requests?.storage !== status.capacity?.storage
const hasFlexVolumes = ({ spec }: Pod) => (spec.volumes ?? []).some((v) => v.flexVolume !== undefined)
const isFlex = ({ spec }: PersistentVolume) => spec?.flexVolume !== undefined
const isCsi = ({ spec }: PersistentVolume) => spec?.csi !== undefined
const isDisruptionTarget = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp === undefined && (status?.conditions ?? []).some((c) => c.type === 'DisruptionTarget' && c.status === 'True')
const isAccountToken = ({ type }: Secret) => type === 'kubernetes.io/service-account-token'
const isBootstrapToken = ({ type, metadata }: Secret) => type === 'bootstrap.kubernetes.io/token' && metadata.namespace === 'kube-system'
const isClusterInfo = ({ metadata }: ConfigMap) => metadata.name === 'cluster-info' && metadata.namespace === 'kube-public'

/** The controllers that every cluster needs. */
export const ALWAYS: readonly CreateController[] = [
  createServiceAccountController,
  createRootCaController,
  createNodeLifecycleController,
  createRoleAggregationController,
  createNamespaceController,
  createNodeTtlController,
  createPodGcController,
  createGarbageCollector,
]

/** Only with a configured range of addresses for pods. */
export const nodeIpam = (ranges: NodeRanges): OnDemandController => ({
  name: 'node-ipam',
  wakes: [on(NODES)],
  load: async () => ({ createController: (await import('../node-ipam/controller.ts')).createNodeIpam(ranges) }),
})

/** The folder has the drivers. */
export const flexVolumeAttacher = (folder: string): OnDemandController => ({
  name: 'flex-volume-attach-detach',
  wakes: [on(PODS, hasFlexVolumes), on(PERSISTENT_VOLUMES, isFlex)],
  load: async () => ({ createController: (await import('../attach-detach/flex-controller.ts')).createFlexController(folder) }),
})

/** Only where ClusterTrustBundles are served. */
export const trustBundlePublisher: OnDemandController = {
  name: 'kube-apiserver-serving-clustertrustbundle-publisher',
  wakes: [on(NAMESPACES)],
  load: () => import('../trust-bundle/controller.ts'),
}

/** The controllers that are loaded when the first object that concerns them appears. */
export const ON_DEMAND: readonly OnDemandController[] = [
  { name: 'deployment', wakes: [on(DEPLOYMENTS)], load: () => import('../deployment/controller.ts') },
  { name: 'replica-set', wakes: [on(REPLICA_SETS)], load: () => import('../replica-set/controller.ts') },
  {
    name: 'replication-controller',
    wakes: [on(REPLICATION_CONTROLLERS)],
    load: () => import('../replica-set/replication-controller.ts'),
  },
  { name: 'endpoint-slice', wakes: [on(SERVICES, hasSelector)], load: () => import('../endpoint-slice/controller.ts') },
  {
    name: 'endpoints',
    // A service's Endpoints are deleted with it, also those that users wrote.
    wakes: [on(SERVICES, (service) => hasSelector(service) || hasLostSelector(service))],
    load: () => import('../endpoints/controller.ts'),
  },
  {
    name: 'endpoint-slice-mirroring',
    wakes: [on(ENDPOINTS, isMirrored), on(SERVICES, hasLostSelector)],
    load: () => import('../endpoint-slice-mirroring/controller.ts'),
  },
  { name: 'service-account-token', wakes: [on(SECRETS, isAccountToken)], load: () => import('../service-account-token/controller.ts') },
  {
    name: 'legacy-service-account-token-cleaner',
    wakes: [on(SECRETS, isAccountToken)],
    load: () => import('../legacy-token-cleaner/controller.ts'),
  },
  { name: 'bootstrap-signer', wakes: [on(CONFIG_MAPS, isClusterInfo)], load: () => import('../bootstrap-token/signer.ts') },
  { name: 'token-cleaner', wakes: [on(SECRETS, isBootstrapToken)], load: () => import('../bootstrap-token/cleaner.ts') },
  { name: 'ephemeral-volume', wakes: [on(PODS, hasEphemeralVolumes)], load: () => import('../ephemeral-volume/controller.ts') },
  { name: 'job', wakes: [on(JOBS)], load: () => import('../job/controller.ts') },
  { name: 'ttl-after-finished', wakes: [on(JOBS)], load: () => import('../ttl/controller.ts') },
  { name: 'cron-job', wakes: [on(CRON_JOBS)], load: () => import('../cron-job/controller.ts') },
  { name: 'stateful-set', wakes: [on(STATEFUL_SETS)], load: () => import('../stateful-set/controller.ts') },
  { name: 'daemon-set', wakes: [on(DAEMON_SETS)], load: () => import('../daemon-set/controller.ts') },
  {
    name: 'resource-claim',
    wakes: [on(PODS, hasClaims), on(RESOURCE_CLAIMS)],
    load: () => import('../resource-claim/controller.ts'),
  },
  { name: 'device-taint-eviction', wakes: [on(RESOURCE_CLAIMS)], load: () => import('../device-taint-eviction/controller.ts') },
  { name: 'quota', wakes: [on(RESOURCE_QUOTAS)], load: () => import('../quota/controller.ts') },
  { name: 'disruption', wakes: [on(POD_DISRUPTION_BUDGETS)], load: () => import('../disruption/controller.ts') },
  { name: 'stale-disruption', wakes: [on(PODS, isDisruptionTarget)], load: () => import('../disruption/stale-controller.ts') },
  {
    name: 'horizontal-autoscaler',
    wakes: [on(HORIZONTAL_POD_AUTOSCALERS)],
    load: () => import('../horizontal-autoscaler/controller.ts'),
  },
  { name: 'certificates', wakes: [on(CERTIFICATE_SIGNING_REQUESTS)], load: () => import('../certificates/controller.ts') },
  {
    name: 'volume-binder',
    wakes: [on(PERSISTENT_VOLUME_CLAIMS), on(PERSISTENT_VOLUMES)],
    load: () => import('../volume-binder/controller.ts'),
  },
  {
    name: 'volume-provisioner',
    wakes: [on(PERSISTENT_VOLUME_CLAIMS, isSimulated), on(PERSISTENT_VOLUMES, isSimulated)],
    load: () => import('../volume-provisioner/controller.ts'),
  },
  { name: 'volume-expander', wakes: [on(PERSISTENT_VOLUME_CLAIMS, wantsMore)], load: () => import('../volume-expander/controller.ts') },
  { name: 'service-cidr', wakes: [on(SERVICE_CIDRS)], load: () => import('../service-cidr/controller.ts') },
  {
    name: 'attributes-class-protection',
    wakes: [on(VOLUME_ATTRIBUTES_CLASSES)],
    load: () => import('../protection/attributes-class-controller.ts'),
  },
  {
    name: 'attach-detach',
    wakes: [on(PERSISTENT_VOLUMES, isCsi), on(VOLUME_ATTACHMENTS)],
    load: () => import('../attach-detach/controller.ts'),
  },
  { name: 'claim-protection', wakes: [on(PERSISTENT_VOLUME_CLAIMS)], load: () => import('../protection/claim-controller.ts') },
  { name: 'volume-protection', wakes: [on(PERSISTENT_VOLUMES)], load: () => import('../protection/volume-controller.ts') },
  { name: 'policy-status', wakes: [on(VALIDATING_ADMISSION_POLICIES)], load: () => import('../policy-status/controller.ts') },
]
