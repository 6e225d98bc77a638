import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts'
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { extendedResourceToleration } from './extended-resource-toleration.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeDeclaredFeatureValidator, podResizeValidator, podTopologyLabels } from './node-features.ts'
import { nodeRestriction } from './node-restriction.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { priority } from './priority.ts'
import { resourceQuota } from './quota/resource-quota.ts'
import { rbacEscalation } from './rbac-escalation.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

/** Those that upstream knows and leaves off unless it is told otherwise. */
const OFF_BY_DEFAULT = new Set(['NodeRestriction', 'ExtendedResourceToleration', 'OwnerReferencesPermissionEnforcement'])

export interface AdmissionConfig {
  /** Names of plugins to switch on, or off, against the default. */
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** Plugins that stand between the mutating and validating policies and the quota: policies and webhooks. */
  readonly dynamic?: readonly AdmissionPlugin[]
}

/** The plugins in upstream's order. Quotas come last, when nothing else can refuse any more; escalation checks after every mutation. */
export function createAdmission(config: AdmissionConfig, deps: AdmissionDeps): readonly AdmissionPlugin[] {
  const ordered: readonly AdmissionPlugin[] = [
    namespaceLifecycle(deps),
    limitRanger(deps),
    serviceAccount(deps),
    nodeRestriction(deps),
    taintNodesByCondition,
    podSecurity(deps),
    priority(deps),
    defaultTolerationSeconds,
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
    podTopologyLabels(deps),
    nodeDeclaredFeatureValidator(deps),
    podResizeValidator(deps),
    ...(config.dynamic ?? []),
    resourceQuota(deps),
    rbacEscalation(deps),
  ]
  const enabled = new Set(config.enable ?? [])
  const disabled = new Set(config.disable ?? [])
  return ordered.filter((p) => !disabled.has(p.name) && (enabled.has(p.name) || !OFF_BY_DEFAULT.has(p.name)))
}
