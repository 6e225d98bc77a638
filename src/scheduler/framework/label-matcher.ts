import type { LabelSelector, LabelSelectorRequirement } from '../objects.ts'

export type Labels = Readonly<Record<string, string>>
export type LabelMatcher = (labels: Labels) => boolean

/** A selector as a function. No selector matches nothing; an empty one matches everything. */
export function labelMatcher(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return () => false
  const checks: LabelMatcher[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) checks.push((labels) => labels[key] === value)
  for (const requirement of selector.matchExpressions ?? []) checks.push(requirementMatcher(requirement))
  return all(checks)
}

/** One requirement of a label or node selector: In, NotIn, Exists, DoesNotExist, Gt, Lt. An unknown operator matches nothing. */
export function requirementMatcher({ key, operator, values = [] }: LabelSelectorRequirement): LabelMatcher {
  const wanted = new Set(values)
  const has = (labels: Labels) => Object.hasOwn(labels, key)
  switch (operator) {
    case 'In':
      return (labels) => has(labels) && wanted.has(labels[key] ?? '')
    case 'NotIn':
      return (labels) => !has(labels) || !wanted.has(labels[key] ?? '')
    case 'Exists':
      return has
    case 'DoesNotExist':
      return (labels) => !has(labels)
    case 'Gt':
    case 'Lt': {
      const bound = integer(values[0])
      return (labels) => {
        const found = has(labels) ? integer(labels[key]) : undefined
        if (bound === undefined || found === undefined) return false
        return operator === 'Gt' ? found > bound : found < bound
      }
    }
    default:
      return () => false
  }
}

export function all(checks: readonly LabelMatcher[]): LabelMatcher {
  const [first, ...others] = checks
  if (first === undefined) return () => true
  return others.length === 0 ? first : (labels) => checks.every((check) => check(labels))
}

const integer = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
