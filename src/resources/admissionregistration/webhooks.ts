import { child, duplicate, type FieldError, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1035Label } from '../../machinery/names.ts'
import { validateFullyQualifiedName } from '../../machinery/validation/domain-name.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { each, repeats } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateEnum } from '../enumerations.ts'
import type * as admissionregistration from '../types/admissionregistration.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { validateClientConfig } from './client-config.ts'
import { defaultRule, validateMatchConditions, validateOperationsRule } from './rules.ts'

/** Mutating webhooks have all that validating ones have. */
type Configuration = UncheckedObject<admissionregistration.MutatingWebhookConfiguration>
type Webhook = Unchecked<admissionregistration.MutatingWebhook>

const GROUP = 'admissionregistration.k8s.io'
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const VERSIONS = ['v1', 'v1beta1']

const kind = (name: string, plural: string, mutating: boolean) =>
  define<Configuration>({
    group: GROUP,
    kind: name,
    plural,
    singular: name.toLowerCase(),
    scope: 'Cluster',
    categories: ['api-extensions'],
    metadataChecks: 'whole',
    columns: [
      NAME,
      { name: 'Webhooks', type: 'integer', description: 'How many webhooks there are', cell: (o) => (o.webhooks ?? []).length },
      AGE,
    ],
    rules: {
      allowUnconditionalUpdate: false,
      generation: 'spec',
      defaults: (draft) => {
        for (const hook of draft.webhooks ?? []) if (hook) defaultWebhook(hook, mutating)
      },
      validateCreate: (object) => validate(object, mutating),
      validateUpdate: (object) => validate(object, mutating),
    },
  })

export const validatingWebhooks = kind('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false)
export const mutatingWebhooks = kind('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', true)

function defaultWebhook(hook: Webhook, mutating: boolean): void {
  hook.failurePolicy ??= 'Fail'
  hook.matchPolicy ??= 'Equivalent'
  hook.namespaceSelector ??= {}
  hook.objectSelector ??= {}
  hook.timeoutSeconds ??= 10
  if (mutating) hook.reinvocationPolicy ??= 'Never'
  if (hook.clientConfig?.service) hook.clientConfig.service.port ??= 443
  for (const rule of hook.rules ?? []) defaultRule(rule)
}

function validate(object: Configuration, mutating: boolean): FieldError[] {
  const names = new Set<string>()
  return each(object.webhooks, 'webhooks', (hook, path) => {
    const faults = validateWebhook(hook, path, mutating)
    const name = hook.name ?? ''
    if (name !== '' && names.has(name)) faults.push(duplicate(child(path, 'name'), name))
    names.add(name)
    return faults
  })
}

function validateWebhook(hook: Webhook, path: string, mutating: boolean): FieldError[] {
  const at = (name: string) => child(path, name)
  const faults = validateFullyQualifiedName(at('name'), hook.name ?? '')
  faults.push(...each(hook.rules, at('rules'), (rule, p) => validateOperationsRule(rule ?? {}, p)))
  faults.push(...validateEnum(hook.failurePolicy, 'admissionregistration_v1.FailurePolicyType', at('failurePolicy')))
  faults.push(...validateEnum(hook.matchPolicy, 'admissionregistration_v1.MatchPolicyType', at('matchPolicy')))
  if (hook.sideEffects == null) faults.push(required(at('sideEffects'), `must specify one of ${SIDE_EFFECTS.join(', ')}`))
  else if (!SIDE_EFFECTS.includes(hook.sideEffects)) faults.push(notSupported(at('sideEffects'), hook.sideEffects, SIDE_EFFECTS))
  const seconds = hook.timeoutSeconds
  if (seconds !== undefined && (seconds < 1 || seconds > 30))
    faults.push(invalid(at('timeoutSeconds'), seconds, 'the timeout value must be between 1 and 30 seconds'))
  faults.push(...validateLabelSelector(hook.namespaceSelector, at('namespaceSelector')))
  faults.push(...validateLabelSelector(hook.objectSelector, at('objectSelector')))
  faults.push(...validateVersions(hook.admissionReviewVersions ?? [], at('admissionReviewVersions')))
  faults.push(...validateClientConfig(hook.clientConfig ?? {}, at('clientConfig')))
  if (mutating)
    faults.push(...validateEnum(hook.reinvocationPolicy, 'admissionregistration_v1.ReinvocationPolicyType', at('reinvocationPolicy')))
  const context = { result: 'bool', params: false, authorizer: true } as const
  return [...faults, ...validateMatchConditions(hook.matchConditions, at('matchConditions'), context)]
}

function validateVersions(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${VERSIONS.join(', ')}`)]

  const isRepeated = repeats()
  const faults = faultsOfEach(versions, (version, i) => {
    const found: FieldError[] = []
    if (isRepeated(version)) found.push(invalid(index(path, i), version, 'duplicate version'))
    else for (const text of dns1035Label(version)) found.push(invalid(index(path, i), version, text))
    return found
  })
  if (!versions.some((v) => VERSIONS.includes(v)))
    faults.push(invalid(path, versions, `must include at least one of ${VERSIONS.join(', ')}`))
  return faults
}
