import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'
import type { WebhookCaller } from '../webhook-callers/webhook-caller.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { alwaysAdmit, alwaysDeny } from './always.ts'
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts'
import { denyServiceExternalIps } from './deny-service-external-ips.ts'
import { eventRateLimit } from './event-rate-limit.ts'
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeDeclaredFeatureValidator, podResizeValidator, podTopologyLabels } from './nodes/node-features.ts'
import { nodeRestriction } from './nodes/node-restriction.ts'
import { taintNodesByCondition } from './nodes/taint-nodes-by-condition.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { alwaysPullImages } from './pods/always-pull-images.ts'
import { defaultTolerationSeconds } from './pods/default-toleration-seconds.ts'
import { extendedResourceToleration } from './pods/extended-resource-toleration.ts'
import { imagePolicyWebhook } from './pods/image-policy-webhook.ts'
import { limitPodHardAntiAffinityTopology } from './pods/limit-pod-hard-anti-affinity-topology.ts'
import { limitRanger } from './pods/limit-ranger.ts'
import { podNodeSelector } from './pods/pod-node-selector.ts'
import { podTolerationRestriction } from './pods/pod-toleration-restriction.ts'
import { priority } from './pods/priority.ts'
import { runtimeClass } from './pods/runtime-class.ts'
import { serviceAccount } from './pods/service-account.ts'
import { resourceQuota } from './quota/resource-quota.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction, clusterTrustBundleAttest } from './rights/certificates.ts'
import { ownerReferencesPermissionEnforcement } from './rights/owner-references.ts'
import type { PluginSettings } from './settings.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'

export interface AdmissionConfig {
  /** The names of the enabled plugins. */
  readonly plugins: readonly string[]
  readonly settings: PluginSettings
  /** The webhook of ImagePolicyWebhook; undefined if that is disabled. */
  readonly imagePolicy?: WebhookCaller | undefined
  /** Policies and webhooks. */
  readonly dynamic?: readonly AdmissionPlugin[]
}

/** An admission plugin of Kubernetes 1.36. */
export interface KnownPlugin {
  readonly name: string
  /** Off unless it is enabled by name. */
  readonly isOff?: true
  /** Absent: it is part of `AdmissionConfig.dynamic`, or belongs to a feature that this server does not have. */
  readonly create?: (config: AdmissionConfig, deps: AdmissionDeps) => AdmissionPlugin | undefined
}

/** Every plugin of 1.36 in order of execution. A new one is a file and a row here. */
export const PLUGIN_ORDER: readonly KnownPlugin[] = [
  { name: 'AlwaysAdmit', isOff: true, create: () => alwaysAdmit },
  { name: 'NamespaceAutoProvision', isOff: true, create: (_, deps) => namespaceAutoProvision(deps) },
  { name: 'NamespaceLifecycle', create: (_, deps) => namespaceLifecycle(deps) },
  { name: 'NamespaceExists', isOff: true, create: (_, deps) => namespaceExists(deps) },
  { name: 'LimitPodHardAntiAffinityTopology', isOff: true, create: () => limitPodHardAntiAffinityTopology },
  { name: 'LimitRanger', create: (_, deps) => limitRanger(deps) },
  { name: 'ServiceAccount', create: (_, deps) => serviceAccount(deps) },
  { name: 'NodeRestriction', isOff: true, create: (_, deps) => nodeRestriction(deps) },
  { name: 'TaintNodesByCondition', create: () => taintNodesByCondition },
  { name: 'AlwaysPullImages', isOff: true, create: () => alwaysPullImages },
  { name: 'ImagePolicyWebhook', isOff: true, create: imagePolicyOf },
  { name: 'PodSecurity', create: ({ settings }, deps) => podSecurity(settings.podSecurity, deps) },
  { name: 'PodNodeSelector', isOff: true, create: ({ settings }, deps) => podNodeSelector(settings.nodeSelectors, deps) },
  { name: 'Priority', create: (_, deps) => priority(deps) },
  { name: 'DefaultTolerationSeconds', create: ({ settings }) => defaultTolerationSeconds(settings.tolerationSeconds) },
  { name: 'PodTolerationRestriction', isOff: true, create: ({ settings }, deps) => podTolerationRestriction(settings.tolerations, deps) },
  { name: 'EventRateLimit', isOff: true, create: ({ settings }, deps) => eventRateLimit(settings.eventLimits, deps) },
  { name: 'ExtendedResourceToleration', isOff: true, create: () => extendedResourceToleration },
  { name: 'DefaultStorageClass', create: (_, deps) => defaultStorageClass(deps) },
  { name: 'StorageObjectInUseProtection', create: () => storageObjectInUseProtection },
  { name: 'PodGroupProtection' },
  { name: 'OwnerReferencesPermissionEnforcement', isOff: true, create: (_, deps) => ownerReferencesPermissionEnforcement(deps) },
  { name: 'PersistentVolumeClaimResize', create: (_, deps) => persistentVolumeClaimResize(deps) },
  { name: 'RuntimeClass', create: (_, deps) => runtimeClass(deps) },
  { name: 'CertificateApproval', create: (_, deps) => certificateApproval(deps) },
  { name: 'CertificateSigning', create: (_, deps) => certificateSigning(deps) },
  { name: 'ClusterTrustBundleAttest', create: (_, deps) => clusterTrustBundleAttest(deps) },
  { name: 'CertificateSubjectRestriction', create: () => certificateSubjectRestriction },
  { name: 'DefaultIngressClass', create: (_, deps) => defaultIngressClass(deps) },
  { name: 'DenyServiceExternalIPs', isOff: true, create: () => denyServiceExternalIps },
  { name: 'PodTopologyLabels', create: (_, deps) => podTopologyLabels(deps) },
  { name: 'PodGroupWorkloadExists' },
  { name: 'NodeDeclaredFeatureValidator', create: (_, deps) => nodeDeclaredFeatureValidator(deps) },
  { name: 'JobValidation' },
  { name: 'PodResizeValidator', create: (_, deps) => podResizeValidator(deps) },
  { name: 'MutatingAdmissionPolicy' },
  { name: 'MutatingAdmissionWebhook' },
  { name: 'ValidatingAdmissionPolicy' },
  { name: 'ValidatingAdmissionWebhook' },
  { name: 'ResourceQuota', create: ({ settings }, deps) => resourceQuota(settings.limitedResources, deps) },
  { name: 'AlwaysDeny', isOff: true, create: () => alwaysDeny },
]

function imagePolicyOf({ settings, imagePolicy }: AdmissionConfig, deps: AdmissionDeps): AdmissionPlugin | undefined {
  if (imagePolicy === undefined || settings.imagePolicy === undefined) return undefined
  return imagePolicyWebhook(settings.imagePolicy, { ...deps, caller: imagePolicy })
}

export const PLUGIN_NAMES: readonly string[] = PLUGIN_ORDER.map(({ name }) => name)

/** The enabled plugins, in order. A plugin that is both enabled and disabled is enabled. */
export const enabledPlugins = (enable: readonly string[], disable: readonly string[]): readonly string[] =>
  PLUGIN_ORDER.filter(({ name, isOff = false }) => enable.includes(name) || !(isOff || disable.includes(name))).map(({ name }) => name)
