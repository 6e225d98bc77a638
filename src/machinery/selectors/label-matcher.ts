/** The labels of an object. Values that are not strings are ignored. */
export type LabelSet = Readonly<Record<string, string>>

/** A compiled selector, for many objects. */
export type LabelMatcher = (labels: LabelSet) => boolean

/** A selector as in objects; not validated. */
export interface MatcherSource {
  readonly matchLabels?: Readonly<Record<string, string>> | null | undefined
  readonly matchExpressions?: readonly RequirementSource[] | null | undefined
}

/** One requirement of a label selector or node selector, as in objects. */
export interface RequirementSource {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[] | null | undefined
}

/**
 * Compiles a selector. An absent selector or null matches nothing, an empty one everything; an unknown operator matches nothing. Does not
 * validate: use `compileLabelSelector` for that.
 * @example compileMatcher({ matchLabels: { app: 'a' } })({ app: 'a', tier: 'b' }) === true
 */
export function compileMatcher(selector: MatcherSource | null | undefined): LabelMatcher {
  if (selector === undefined || selector === null) return () => false
  const checks: LabelMatcher[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) checks.push(equals(key, value))
  for (const requirement of selector.matchExpressions ?? []) checks.push(compileRequirement(requirement))
  return all(checks)
}

/** One requirement: `In`, `NotIn`, `Exists`, `DoesNotExist`, and, for node selectors only, `Gt` and `Lt`, which compare 64-bit integers. */
export function compileRequirement({ key, operator, values }: RequirementSource): LabelMatcher {
  switch (operator) {
    case 'In':
      return oneOf(key, values ?? [])
    case 'NotIn':
      return not(oneOf(key, values ?? []))
    case 'Exists':
      return has(key)
    case 'DoesNotExist':
      return not(has(key))
    case 'Gt':
      return compares(key, values?.[0], (found, bound) => found > bound)
    case 'Lt':
      return compares(key, values?.[0], (found, bound) => found < bound)
    default:
      return () => false
  }
}

/** The conjunction; an empty one matches everything. */
export function all(checks: readonly LabelMatcher[]): LabelMatcher {
  const [first, second, ...others] = checks
  if (first === undefined) return () => true
  if (second === undefined) return first
  if (others.length === 0) return (labels) => first(labels) && second(labels)
  return (labels) => {
    for (const check of checks) if (!check(labels)) return false
    return true
  }
}

// Inherited properties (`constructor`) are never strings, so the check of the type replaces one of ownership.
const has =
  (key: string): LabelMatcher =>
  (labels) =>
    typeof labels[key] === 'string'
const equals =
  (key: string, value: string): LabelMatcher =>
  (labels) =>
    labels[key] === value
const not =
  (check: LabelMatcher): LabelMatcher =>
  (labels) =>
    !check(labels)

function oneOf(key: string, values: readonly string[]): LabelMatcher {
  const [only] = values
  if (only !== undefined && values.length === 1) return equals(key, only)
  const wanted = new Set(values)
  return (labels) => {
    const found = labels[key]
    return typeof found === 'string' && wanted.has(found)
  }
}

function compares(key: string, value: string | undefined, holds: (found: bigint, bound: bigint) => boolean): LabelMatcher {
  const bound = parseInt64(value)
  if (bound === undefined) return () => false
  return (labels) => {
    const found = parseInt64(labels[key])
    return found !== undefined && holds(found, bound)
  }
}

/** Go's `ParseInt` of 64 bits; undefined for an invalid text. */
export function parseInt64(text: string | undefined): bigint | undefined {
  if (typeof text !== 'string' || !/^[-+]?[0-9]{1,40}$/.test(text)) return undefined
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, number) === number ? number : undefined
}
