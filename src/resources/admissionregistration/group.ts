import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { AGE, type ColumnInit, define, NAME } from '../define.ts'
import { metadataKept } from '../status-meta.ts'
import { type Binding, paramRefText, validateBinding } from './bindings.ts'
import { type Policy, validateMutatingPolicy, validateValidatingPolicy } from './policies.ts'
import { defaultMatchResources } from './rules.ts'
import { mutatingWebhooks, validatingWebhooks } from './webhooks.ts'

const COMMON = {
  group: 'admissionregistration.k8s.io',
  scope: 'Cluster',
  categories: ['api-extensions'],
  metadataChecks: 'whole',
} as const

const PARAM_KIND: ColumnInit<Policy> = {
  name: 'ParamKind',
  description: 'The kind of the objects that hold the parameters',
  cell: (o) => (o.spec?.paramKind ? `${o.spec.paramKind.apiVersion ?? ''}/${o.spec.paramKind.kind ?? ''}` : '<unset>'),
}
const POLICY_NAME: ColumnInit<Binding> = {
  name: 'PolicyName',
  description: 'The policy that is bound',
  cell: (o) => o.spec?.policyName ?? '',
}
const PARAM_REF: ColumnInit<Binding> = {
  name: 'ParamRef',
  description: 'The objects that hold the parameters',
  cell: (o) => paramRefText(o.spec?.paramRef),
}

function defaultPolicy(draft: Policy): void {
  draft.spec ??= {}
  draft.spec.failurePolicy ??= 'Fail'
  defaultMatchResources(draft.spec.matchConstraints)
}

const validatingPolicies = define<Policy>({
  ...COMMON,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  columns: [
    NAME,
    {
      name: 'Validations',
      type: 'integer',
      description: 'How many validations there are',
      cell: (o) => (o.spec?.validations ?? []).length,
    },
    PARAM_KIND,
    AGE,
  ],
  rules: {
    allowUnconditionalUpdate: false,
    generation: 'spec',
    defaults: defaultPolicy,
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: validateValidatingPolicy,
    validateUpdate: validateValidatingPolicy,
  },
  subresources: { status: { kind: 'status', rules: { ...metadataKept, metadataChecks: 'not', validateUpdate: () => [] } } },
})

const mutatingPolicies = define<Policy>({
  ...COMMON,
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  singular: 'mutatingadmissionpolicy',
  columns: [
    NAME,
    { name: 'Mutations', type: 'integer', description: 'How many mutations there are', cell: (o) => (o.spec?.mutations ?? []).length },
    PARAM_KIND,
    AGE,
  ],
  rules: {
    allowUnconditionalUpdate: false,
    generation: 'spec',
    defaults: defaultPolicy,
    validateCreate: validateMutatingPolicy,
    validateUpdate: validateMutatingPolicy,
  },
})

const bindings = (kind: string, validating: boolean) =>
  define<Binding>({
    ...COMMON,
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    columns: [NAME, POLICY_NAME, PARAM_REF, AGE],
    rules: {
      allowUnconditionalUpdate: false,
      generation: 'spec',
      defaults: (draft) => defaultMatchResources(draft.spec?.matchResources),
      validateCreate: (object) => validateBinding(object, validating),
      validateUpdate: (object) => validateBinding(object, validating),
    },
  })

export const admissionRegistrationResources: readonly ResourceDefinition[] = [
  mutatingPolicies,
  bindings('MutatingAdmissionPolicyBinding', false),
  mutatingWebhooks,
  validatingPolicies,
  bindings('ValidatingAdmissionPolicyBinding', true),
  validatingWebhooks,
]
