import { child, type FieldError, forbidden, index, invalid, required } from '../field-error.ts'
import { labelValue } from '../names.ts'
import { validateLabelName, validateLabels } from './object-meta.ts'

/** `meta.k8s.io/v1 LabelSelector`. */
export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelSelectorRequirement[]
}

export interface LabelSelectorRequirement {
  key: string
  operator: string
  values?: string[]
}

export interface LabelSelectorOptions {
  /** Values of requirements are not looked at: objects that were stored before the rule keep working. */
  readonly allowInvalidValues?: boolean
  /** Operators this version does not know are passed over. */
  readonly allowUnknownOperators?: boolean
}

export function validateLabelSelector(
  selector: LabelSelector | undefined | null,
  options: LabelSelectorOptions,
  path: string,
): FieldError[] {
  if (!selector) return []
  const faults = validateLabels(selector.matchLabels, child(path, 'matchLabels'))
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries())
    faults.push(...validateRequirement(requirement, options, index(child(path, 'matchExpressions'), i)))
  return faults
}

function validateRequirement(requirement: LabelSelectorRequirement, options: LabelSelectorOptions, path: string): FieldError[] {
  const faults: FieldError[] = []
  const values = requirement.values ?? []
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) faults.push(required(child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'"))
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        faults.push(forbidden(child(path, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
      break
    default:
      if (!options.allowUnknownOperators)
        faults.push(invalid(child(path, 'operator'), requirement.operator ?? '', 'not a valid selector operator'))
  }
  faults.push(...validateLabelName(requirement.key ?? '', child(path, 'key')))
  if (!options.allowInvalidValues)
    for (const [i, value] of values.entries())
      for (const text of labelValue(value)) faults.push(invalid(index(child(path, 'values'), i), value, text))
  return faults
}
