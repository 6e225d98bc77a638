import { child, type FieldError, forbidden, index, invalid, invalidNamed, required } from '../field-error.ts'
import { labelValue } from '../names.ts'
import { faultsOfEach } from './faults-of-each.ts'
import { validateLabelName, validateLabels } from './object-meta.ts'

/** `meta.k8s.io/v1 LabelSelector`. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

/** `meta.k8s.io/v1 LabelSelectorRequirement`: a label and what its value has to be. */
export interface LabelSelectorRequirement {
  readonly key: string
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string
  readonly values?: readonly string[]
}

export function validateLabelSelector(selector: LabelSelector | undefined | null, path: string): FieldError[] {
  if (!selector) return []
  const faults = validateLabels(selector.matchLabels, child(path, 'matchLabels'))
  return [
    ...faults,
    ...faultsOfEach(selector.matchExpressions, (requirement, i) =>
      validateLabelRequirement(requirement, index(child(path, 'matchExpressions'), i)),
    ),
  ]
}

/** Faults of one requirement. `unknown`: those of an operator that this version does not know; default: one. */
export function validateLabelRequirement(
  requirement: LabelSelectorRequirement,
  path: string,
  unknown: readonly FieldError[] = [unknownOperator(requirement.operator ?? '', path)],
): FieldError[] {
  const operator = requirement.operator ?? ''
  const values = requirement.values ?? []
  return [
    ...(validateSetOperator(operator, values, path) ?? unknown),
    ...validateLabelName(requirement.key ?? '', child(path, 'key')),
    ...validateLabelValues(values, child(path, 'values')),
  ]
}

/** Checks whether a requirement has values if its operator requires them; `undefined` if it is not a set operator. */
export function validateSetOperator(operator: string, values: readonly string[], path: string): FieldError[] | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(child(path, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    default:
      return undefined
  }
}

/** The fault of a requirement with an unknown operator. */
export const unknownOperator = (operator: string, path: string): FieldError =>
  invalidNamed(child(path, 'operator'), operator, 'not a valid selector operator')

/** Validates the values of a requirement. */
export const validateLabelValues = (values: readonly string[], path: string): FieldError[] =>
  faultsOfEach(values, (value, i) => labelValue(value).map((text) => invalid(index(path, i), value, text)))
