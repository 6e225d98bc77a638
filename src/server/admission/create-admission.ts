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
import { PLUGIN_ORDER } from './plugin-names.ts'
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
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './rights/certificates.ts'
import { localPorts } from './rights/local-ports.ts'
import { ownerReferencesPermissionEnforcement } from './rights/owner-references.ts'
import { rbacEscalation } from './rights/rbac-escalation.ts'
import type { PluginSettings } from './settings.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'

export interface AdmissionConfig {
  /** The names of those that run. */
  readonly plugins: readonly string[]
  readonly settings: PluginSettings
  /** Asks about images; undefined where ImagePolicyWebhook does not run. */
  readonly imagePolicy?: WebhookCaller | undefined
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
  return [...named, ...known.filter((p) => place(p) < 0), rbacEscalation(deps), localPorts(deps)]
}
