import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'
import type { GuestCaller } from '../guests/guest-caller.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { alwaysAdmit, alwaysDeny } from './always.ts'
import { alwaysPullImages } from './always-pull-images.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts'
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { denyServiceExternalIps } from './deny-service-external-ips.ts'
import { eventRateLimit } from './event-rate-limit.ts'
import { extendedResourceToleration } from './extended-resource-toleration.ts'
import { imagePolicyWebhook } from './image-policy-webhook.ts'
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeDeclaredFeatureValidator, podResizeValidator, podTopologyLabels } from './node-features.ts'
import { nodeRestriction } from './node-restriction.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { PLUGIN_ORDER } from './plugin-names.ts'
import { podNodeSelector } from './pod-node-selector.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { podTolerationRestriction } from './pod-toleration-restriction.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './quota/resource-quota.ts'
import { rbacEscalation } from './rbac-escalation.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import type { PluginSettings } from './settings.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

export interface AdmissionConfig {
  /** The names of those that run. */
  readonly plugins: readonly string[]
  readonly settings: PluginSettings
  /** Asks about images; undefined where ImagePolicyWebhook does not run. */
  readonly imagePolicy?: GuestCaller | undefined
  /** Policies and webhooks. */
  readonly dynamic?: readonly AdmissionPlugin[]
}

/** The plugins in upstream's order. Quotas come late, when little else can refuse any more; escalation checks after every mutation. */
export function createAdmission(config: AdmissionConfig, deps: AdmissionDeps): readonly AdmissionPlugin[] {
  const { settings, imagePolicy } = config
  const known: readonly AdmissionPlugin[] = [
    alwaysAdmit,
    namespaceAutoProvision(deps),
    namespaceLifecycle(deps),
    namespaceExists(deps),
    limitPodHardAntiAffinityTopology,
    limitRanger(deps),
    serviceAccount(deps),
    nodeRestriction(deps),
    taintNodesByCondition,
    alwaysPullImages,
    ...(imagePolicy === undefined || settings.imagePolicy === undefined
      ? []
      : [imagePolicyWebhook(settings.imagePolicy, { ...deps, caller: imagePolicy })]),
    podSecurity(settings.podSecurity, deps),
    podNodeSelector(settings.nodeSelectors, deps),
    priority(deps),
    defaultTolerationSeconds(settings.tolerationSeconds),
    podTolerationRestriction(settings.tolerations, deps),
    eventRateLimit(settings.eventLimits, deps),
    extendedResourceToleration,
    defaultStorageClass(deps),
    storageObjectInUseProtection,
    ownerReferencesPermissionEnforcement(deps),
    persistentVolumeClaimResize(deps),
    runtimeClass(deps),
    certificateApproval(deps),
    certificateSigning(deps),
    certificateSubjectRestriction,
    defaultIngressClass(deps),
    denyServiceExternalIps,
    podTopologyLabels(deps),
    nodeDeclaredFeatureValidator(deps),
    podResizeValidator(deps),
    ...(config.dynamic ?? []),
    resourceQuota(settings.limitedResources, deps),
    alwaysDeny,
  ]
  const place = (plugin: AdmissionPlugin) => PLUGIN_ORDER.indexOf(plugin.name)
  const named = known.filter((p) => config.plugins.includes(p.name)).sort((a, b) => place(a) - place(b))
  // What is no plugin upstream is not switched off.
  return [...named, ...known.filter((p) => place(p) < 0), rbacEscalation(deps)]
}
