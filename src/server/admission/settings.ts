import type { EventLimit } from './event-rate-limit.ts'
import { NO_POD_SECURITY_DEFAULTS, type PodSecurityConfiguration } from './pod-security/configuration.ts'
import type { ImagePolicyConfig } from './pods/image-policy-webhook.ts'
import type { NodeSelectors } from './pods/pod-node-selector.ts'
import type { TolerationDefaults } from './pods/pod-toleration-restriction.ts'
import type { LimitedResource } from './quota/limited-resources.ts'

/** The configuration of the plugins. */
export interface PluginSettings {
  readonly nodeSelectors: NodeSelectors
  readonly tolerations: TolerationDefaults
  readonly eventLimits: readonly EventLimit[]
  /** Undefined: ImagePolicyWebhook is disabled. */
  readonly imagePolicy: ImagePolicyConfig | undefined
  readonly podSecurity: PodSecurityConfiguration
  readonly limitedResources: readonly LimitedResource[]
  /** Kubeconfigs with the server's credentials for dynamic webhooks. */
  readonly webhookKubeconfigs: { readonly mutating: string | undefined; readonly validating: string | undefined }
  /** Default tolerations of nodes that are not ready, and of unreachable ones. */
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
