import type { EventLimit } from './event-rate-limit.ts'
import { NO_POD_SECURITY_DEFAULTS, type PodSecurityConfiguration } from './pod-security/configuration.ts'
import type { ImagePolicyConfig } from './pods/image-policy-webhook.ts'
import type { NodeSelectors } from './pods/pod-node-selector.ts'
import type { TolerationDefaults } from './pods/pod-toleration-restriction.ts'
import type { LimitedResource } from './quota/limited-resources.ts'

/** What the plugins are told besides being switched on. */
export interface PluginSettings {
  readonly nodeSelectors: NodeSelectors
  readonly tolerations: TolerationDefaults
  readonly eventLimits: readonly EventLimit[]
  /** Undefined: ImagePolicyWebhook does not run. */
  readonly imagePolicy: ImagePolicyConfig | undefined
  readonly podSecurity: PodSecurityConfiguration
  readonly limitedResources: readonly LimitedResource[]
  /** Kubeconfigs that tell what the server proves itself with to dynamic webhooks. */
  readonly webhookKubeconfigs: { readonly mutating: string | undefined; readonly validating: string | undefined }
  /** How long pods stay on nodes that are not ready, and on those that cannot be reached. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
}

/** Kubernetes' defaults. */
export const PLUGIN_DEFAULTS: PluginSettings = {
  nodeSelectors: {},
  tolerations: { default: [], whitelist: [] },
  eventLimits: [],
  imagePolicy: undefined,
  podSecurity: NO_POD_SECURITY_DEFAULTS,
  limitedResources: [],
  webhookKubeconfigs: { mutating: undefined, validating: undefined },
  tolerationSeconds: { notReady: 300, unreachable: 300 },
}
