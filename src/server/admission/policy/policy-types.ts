import type { LabelSelector } from '../../../machinery/selectors/label-selector.ts'
import type { WebhookRule } from '../webhook/match-webhook.ts'

/** One rule of `resourceRules`: a webhook's rule that may be about certain names only. */
export interface NamedRule extends WebhookRule {
  readonly resourceNames?: readonly string[]
}

/** `MatchResources`: which requests a policy or a binding is about (defaults are filled in). */
export interface MatchResources {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly NamedRule[]
  readonly excludeResourceRules?: readonly NamedRule[]
  readonly matchPolicy?: 'Exact' | 'Equivalent'
}

export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

/** What the specs of both kinds of policies share. */
export interface PolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
  readonly variables?: readonly { readonly name: string; readonly expression: string }[]
  readonly validations?: readonly Validation[]
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[]
  readonly mutations?: readonly Mutation[]
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
}

export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: { readonly expression: string }
  readonly jsonPatch?: { readonly expression: string }
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: 'Allow' | 'Deny'
}

export interface BindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[]
}

/** What keeps a policy from being applied as it is meant; its failure policy says what follows. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError'
}
