import type { Attributes, SelectorRequirements } from '../../../../apiserver/identity/authorizer.ts'
import type { Json, JsonObject } from '../../../../machinery/object.ts'
import { parseFieldSelector } from '../../../../machinery/selectors/field-selector.ts'
import { type LabelOperator, SelectorError } from '../../../../machinery/selectors/label-requirement.ts'
import { parseLabelSelector } from '../../../../machinery/selectors/label-selector.ts'

export type ReviewVersion = 'v1' | 'v1beta1'

/** The SubjectAccessReview of a request (`authorization.k8s.io/v1 SubjectAccessReviewSpec`), without empty fields. */
export function reviewSpec(a: Attributes): JsonObject {
  const { user } = a
  const extra = user.extra === undefined ? [] : Object.entries(user.extra)
  return {
    ...(a.resourceRequest ? { resourceAttributes: resourcePart(a) } : { nonResourceAttributes: given({ path: a.path, verb: a.verb }) }),
    ...given({ user: user.name }),
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra.map(([key, values]) => [key, [...values]])) }),
    ...given({ uid: user.uid ?? '' }),
  }
}

function resourcePart(a: Attributes): JsonObject {
  const { namespace, verb, group, version, resource, subresource, name } = a
  const fields = a.requirements?.fields?.map(written) ?? fieldRequirements(a.fieldSelector)
  const labels = a.requirements?.labels?.map(written) ?? labelRequirements(a.labelSelector)
  return {
    ...given({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  }
}

const given = (fields: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

const written = ({ key = '', operator = '', values = [] }: SelectorRequirements[number]): JsonObject => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values: [...values] }),
})

/** An invalid selector is omitted, which asks for more. */
function fieldRequirements(selector: string | undefined): Json[] {
  return reading(() =>
    parseFieldSelector(selector ?? '').requirements.map(({ field, operator, value }) => ({
      key: field,
      operator: operator === '!=' ? 'NotIn' : 'In',
      values: [value],
    })),
  )
}

/** Numeric comparisons cannot be expressed in a review: they are omitted, which asks for more. */
const OPERATORS: Readonly<Partial<Record<LabelOperator, string>>> = {
  in: 'In',
  '=': 'In',
  '==': 'In',
  notin: 'NotIn',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

function labelRequirements(selector: string | undefined): Json[] {
  return reading(() =>
    parseLabelSelector(selector ?? '').requirements.flatMap(({ key, operator, values }) => {
      const name = OPERATORS[operator]
      if (name === undefined) return []
      return [{ key, operator: name, ...(values.length === 0 ? {} : { values: [...values] }) }]
    }),
  )
}

function reading(read: () => Json[]): Json[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof SelectorError) return []
    throw error
  }
}

/** The review to send. */
export function review(spec: JsonObject, version: ReviewVersion): JsonObject {
  return {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: version === 'v1' ? spec : olderSpec(spec),
    status: { allowed: false },
  }
}

/** v1beta1 has `group` for the groups. */
function olderSpec({ groups, ...spec }: JsonObject): JsonObject {
  return groups === undefined ? spec : { ...spec, group: groups }
}
