import { orderedMeta } from '../../../apiserver/cache/object-bytes.ts'
import type { Review } from '../../../apiserver/extension-points.ts'
import type { Attributes, Decision } from '../../../apiserver/identity/authorizer.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { asJson, type KubeObject } from '../../../machinery/object.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import { validateLabelRequirement, validateSetOperator } from '../../../machinery/validation/label-selector.ts'
import {
  type ReadSelector,
  readFieldSelector,
  readLabelSelector,
  type SelectorAttributes,
  type SelectorRequirement,
} from './review-selectors.ts'

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: SelectorAttributes
  readonly labelSelector?: SelectorAttributes
}

interface ReviewSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly uid?: string
}

/** SubjectAccessReview: whether a given user may do this. */
export const subjectAccessReview: Review = async ({ input }, { authorizer }) => {
  const spec = specOf(input)
  refuse([...attributesFaults(spec), ...subjectFaults(spec), ...selectorsFaults(spec), ...metadataFaults(input, [])])
  return answer(input, await authorizer.authorize(attributesOf(spec, subjectOf(spec))))
}

/** LocalSubjectAccessReview: the same for one namespace. */
export const localSubjectAccessReview: Review = async ({ input, namespace }, { authorizer }) => {
  const spec = specOf(input)
  const faults = [...attributesFaults(spec), ...subjectFaults(spec), ...selectorsFaults(spec), ...metadataFaults(input, ['namespace'])]
  const requested = spec.resourceAttributes
  if (requested !== undefined && (requested.namespace ?? '') !== namespace) {
    faults.push(invalid('spec.resourceAttributes.namespace', requested.namespace ?? '', 'must match metadata.namespace'))
  }
  if (spec.nonResourceAttributes !== undefined) {
    faults.push(invalid('spec.nonResourceAttributes', pathText(spec.nonResourceAttributes), 'disallowed on this kind of request'))
  }
  refuse(faults)
  return answer(input, await authorizer.authorize(attributesOf(spec, subjectOf(spec))))
}

/** SelfSubjectAccessReview: whether the requesting user may do this. */
export const selfSubjectAccessReview: Review = async ({ input, user }, { authorizer }) => {
  const spec = specOf(input)
  refuse([...attributesFaults(spec), ...selectorsFaults(spec), ...metadataFaults(input, [])])
  return answer(input, await authorizer.authorize(attributesOf(spec, user)))
}

const specOf = (input: KubeObject): ReviewSpec => (input.spec ?? {}) as ReviewSpec

function answer(input: KubeObject, decision: Decision): KubeObject {
  const errors = [...(decision.error === undefined ? [] : [decision.error]), ...selectorErrors(specOf(input).resourceAttributes)]
  return {
    ...input,
    status: {
      allowed: decision.verdict === 'allow',
      ...(decision.verdict === 'deny' ? { denied: true } : {}),
      ...(decision.reason === '' ? {} : { reason: decision.reason }),
      ...(errors.length === 0 ? {} : { evaluationError: errors.join('; ') }),
    },
  }
}

/** The parts of the selectors that were ignored. */
function selectorErrors(r: ResourceAttributes | undefined): string[] {
  const said = (name: string, { ignored }: ReadSelector) =>
    ignored === '' ? [] : [`spec.resourceAttributes.${name} ${ignored} due to parse error`]
  return [...said('fieldSelector', readFieldSelector(r?.fieldSelector)), ...said('labelSelector', readLabelSelector(r?.labelSelector))]
}

const subjectOf = (spec: ReviewSpec): UserInfo => ({
  name: spec.user ?? '',
  groups: spec.groups ?? [],
  ...(spec.uid ? { uid: spec.uid } : {}),
  ...(spec.extra ? { extra: spec.extra } : {}),
})

function attributesOf(spec: ReviewSpec, user: UserInfo): Attributes {
  const nothing = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '', path: '' }
  const r = spec.resourceAttributes
  if (r === undefined)
    return {
      ...nothing,
      user,
      verb: spec.nonResourceAttributes?.verb ?? '',
      resourceRequest: false,
      path: spec.nonResourceAttributes?.path ?? '',
    }
  const fields = readFieldSelector(r.fieldSelector)
  const labels = readLabelSelector(r.labelSelector)
  return {
    ...nothing,
    user,
    resourceRequest: true,
    verb: r.verb ?? '',
    group: r.group ?? '',
    version: r.version || '*',
    resource: r.resource ?? '',
    subresource: r.subresource ?? '',
    namespace: r.namespace ?? '',
    name: r.name ?? '',
    ...(fields.text === undefined ? {} : { fieldSelector: fields.text }),
    ...(labels.text === undefined ? {} : { labelSelector: labels.text }),
    ...(fields.requirements === undefined && labels.requirements === undefined
      ? {}
      : { requirements: { fields: fields.requirements, labels: labels.requirements } }),
  }
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject({ group: 'authorization.k8s.io', kind: '' }, '', faults)
}

function metadataFaults(input: KubeObject, allowed: readonly string[]): FieldError[] {
  const { managedFields: _, ...meta } = input.metadata
  const rest = Object.fromEntries(
    Object.entries(meta).filter(([key, value]) => value !== undefined && value !== null && !allowed.includes(key)),
  )
  if (equalJson(rest, {})) return []
  const detail = allowed.length === 0 ? 'must be empty' : 'must be empty except for namespace'
  return [invalid('metadata', asJson(orderedMeta(input.metadata)), detail)]
}

function subjectFaults(spec: ReviewSpec): FieldError[] {
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return []
  return [invalid('spec.user', spec.user ?? '', 'at least one of user or group must be specified')]
}

/** Go prints this value with the names of its internal fields. */
const pathText = (a: { readonly path?: string; readonly verb?: string }) => ({ Path: a.path ?? '', Verb: a.verb ?? '' })

function attributesFaults(spec: ReviewSpec): FieldError[] {
  const { resourceAttributes: r, nonResourceAttributes: n } = spec
  if (r !== undefined && n !== undefined)
    return [invalid('spec.nonResourceAttributes', pathText(n), 'cannot be specified in combination with resourceAttributes')]
  if (r === undefined && n === undefined)
    return [invalid('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')]
  return []
}

function selectorsFaults({ resourceAttributes: r }: ReviewSpec): FieldError[] {
  return [
    ...selectorFaults(r?.fieldSelector, 'spec.resourceAttributes.fieldSelector', fieldFaults),
    ...selectorFaults(r?.labelSelector, 'spec.resourceAttributes.labelSelector', labelFaults),
  ]
}

/** Unknown operators are ignored, and reported in the response. */
function selectorFaults(
  selector: SelectorAttributes | undefined,
  path: string,
  requirementFaults: (requirement: SelectorRequirement, path: string) => FieldError[],
): FieldError[] {
  if (selector === undefined) return []
  const raw = selector.rawSelector ?? ''
  const requirements = selector.requirements ?? []
  return [
    ...(raw !== '' && requirements.length > 0
      ? [invalid(`${path}.rawSelector`, raw, 'may not specified at the same time as requirements')]
      : []),
    ...(raw === '' && requirements.length === 0
      ? [required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`)]
      : []),
    ...requirements.flatMap((requirement, i) => requirementFaults(requirement, `${path}.requirements[${i}]`)),
  ]
}

const fieldFaults = ({ key, operator = '', values = [] }: SelectorRequirement, at: string): FieldError[] => [
  ...(key ? [] : [required(`${at}.key`, 'must be specified')]),
  ...(validateSetOperator(operator, values, at) ?? []),
]

const labelFaults = ({ key = '', operator = '', values = [] }: SelectorRequirement, at: string): FieldError[] =>
  validateLabelRequirement({ key, operator, values: [...values] }, at, [])
