import { observedPlugins } from '../../apiserver/admission/observed-plugins.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import type { WebhookCall } from '../../apiserver/metrics/webhook-counts.ts'
import { recordedSteps } from '../../apiserver/trail/recorded-steps.ts'
import { webhookStep } from '../../apiserver/trail/webhook-step.ts'
import { createAdmission } from '../../server/admission/create-admission.ts'
import { openPluginWebhooks } from '../../server/admission/open-plugin-webhooks.ts'
import { conditionEvaluator } from '../../server/admission/policy/condition-evaluator.ts'
import { mutatingPolicies } from '../../server/admission/policy/mutating-policies.ts'
import { parameterAccess } from '../../server/admission/policy/parameter-access.ts'
import { validatingPolicies } from '../../server/admission/policy/validating-policies.ts'
import { mutatingWebhooks, validatingWebhooks } from '../../server/admission/webhook/webhooks.ts'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { Caches } from './open-caches.ts'
import type { Extensions } from './open-extensions.ts'
import type { Identity } from './open-identity.ts'
import type { Observation } from './open-observation.ts'
import type { OwnCalls } from './own-calls.ts'
import type { PhaseDeps } from './server-part-deps.ts'

export type AdmissionParts = Caches & Observation & Identity & Extensions & { readonly own: OwnCalls }

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' }

/** The enabled admission plugins, in order of execution. */
export async function openAdmission(
  { admission }: ServerOptions,
  parts: AdmissionParts,
  deps: PhaseDeps,
): Promise<readonly AdmissionPlugin[]> {
  const { watchCache, definitions, metrics, trails, authorization, own } = parts
  const { clock, random, held } = deps
  const pluginWebhooks = held.use(await openPluginWebhooks(admission.settings, clock))
  const plugins = createAdmission(
    { ...admission, imagePolicy: pluginWebhooks.imagePolicy, dynamic: dynamicPlugins(parts, pluginWebhooks, deps) },
    {
      clock,
      random,
      reader: watchCache.reader,
      authorizer: authorization.authorizer,
      policy: authorization.policy,
      definitions,
      createNamespace: async (name) => {
        const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
        await own.transport().call({ verb: 'create', target: NAMESPACES, query: {}, body })
      },
      change: (...args) => own.store().change(...args),
    },
  )
  const observers = trails === undefined ? [metrics.admission.plugins] : [metrics.admission.plugins, recordedSteps]
  return observedPlugins(plugins, observers, () => clock.monotonic())
}

/** Policies and webhooks, which users configure with objects. */
function dynamicPlugins(
  { watchCache, definitions, metrics, authorization, webhooksAs }: AdmissionParts,
  { mutating, validating }: Awaited<ReturnType<typeof openPluginWebhooks>>,
  { clock, random }: PhaseDeps,
): AdmissionPlugin[] {
  const policyDeps = { reader: watchCache.reader, definitions, kinds: kubernetesKinds, authorizer: authorization.authorizer }
  const hookDeps = {
    clock,
    random,
    reader: watchCache.reader,
    onChange: (group: string, resource: string, changed: () => void) => watchCache.onChange(group, resource, changed),
    definitions,
    kinds: kubernetesKinds,
    evaluate: conditionEvaluator(policyDeps),
    note: (call: WebhookCall, request: AdmissionRequest) => {
      metrics.webhooks.note(call)
      request.trail?.step(webhookStep(call))
    },
  }
  return [
    mutatingPolicies(policyDeps),
    mutatingWebhooks({ ...hookDeps, client: webhooksAs(mutating) }),
    validatingPolicies({ ...policyDeps, counts: metrics.policies }),
    validatingWebhooks({ ...hookDeps, client: webhooksAs(validating) }),
    parameterAccess(policyDeps),
  ]
}
