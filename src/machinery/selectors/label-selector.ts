import { byText } from '../../base/by-text.ts'
import { goQuote } from '../field-error.ts'
import type { LabelSelector } from '../validation/label-selector.ts'
import { createRequirement, type LabelOperator, LabelRequirement, type Labels, SelectorError } from './label-requirement.ts'
import { parseRequirements } from './label-selector-parser.ts'

export type { LabelSelector } from '../validation/label-selector.ts'
export { SelectorError } from './label-requirement.ts'

/** With more requirements, a selector is evaluated by the labels of the object. */
const FEW = 8

/**
 * Many requirements, by key: the cost of a match grows with the labels of the object, not with the length of the selector. A requirement on
 * an absent label has a constant result.
 */
class RequirementsByKey {
  readonly #requirements = new Map<string, LabelRequirement[]>()
  /** Keys that a selected object must have. */
  readonly #needed = new Set<string>()

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) {
      const found = this.#requirements.get(requirement.key)
      if (found === undefined) this.#requirements.set(requirement.key, [requirement])
      else found.push(requirement)
      if (!requirement.matches({})) this.#needed.add(requirement.key)
    }
  }

  matches(labels: NonNullable<Labels>): boolean {
    let found = 0
    for (const key of Object.keys(labels)) {
      const requirements = this.#requirements.get(key)
      if (requirements === undefined) continue
      for (const requirement of requirements) if (!requirement.matches(labels)) return false
      if (this.#needed.has(key)) found++
    }
    return found === this.#needed.size
  }
}

/** A conjunction of requirements, sorted by key; `undefined` requirements select nothing at all. */
export class CompiledLabelSelector {
  readonly requirements: readonly LabelRequirement[]
  readonly #nothing: boolean
  #byKey: RequirementsByKey | undefined

  constructor(requirements: readonly LabelRequirement[] | 'nothing') {
    this.#nothing = requirements === 'nothing'
    this.requirements = requirements === 'nothing' ? [] : [...requirements].sort((a, b) => byText(a.key, b.key))
  }

  matches(labels: Labels): boolean {
    if (this.#nothing) return false
    if (this.requirements.length > FEW) {
      this.#byKey ??= new RequirementsByKey(this.requirements)
      return this.#byKey.matches(labels ?? {})
    }
    for (const requirement of this.requirements) if (!requirement.matches(labels)) return false
    return true
  }

  /** True if it matches everything. */
  isEmpty(): boolean {
    return !this.#nothing && this.requirements.length === 0
  }

  isNothing(): boolean {
    return this.#nothing
  }

  /** The single value that a label must have, if there is one. */
  exactValue(key: string): string | undefined {
    const first = this.requirements.find((r) => r.key === key)
    if (first === undefined || !['=', '==', 'in'].includes(first.operator)) return undefined
    return first.values.length === 1 ? first.values[0] : undefined
  }

  and(...more: readonly LabelRequirement[]): CompiledLabelSelector {
    return this.#nothing ? this : new CompiledLabelSelector([...this.requirements, ...more])
  }

  /** The text form, which can be parsed again. */
  toString(): string {
    return this.requirements.join(',')
  }
}

export const everything = new CompiledLabelSelector([])
export const nothing = new CompiledLabelSelector('nothing')

/**
 * Reads `app=x,tier in (a,b),!old`.
 * @throws {SelectorError} in Kubernetes' words
 */
export function parseLabelSelector(text: string): CompiledLabelSelector {
  const requirements = parseRequirements(text)
  return requirements.length === 0 ? everything : new CompiledLabelSelector(requirements)
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/**
 * Compiles a LabelSelector: null and absent select nothing, an empty one everything.
 * @throws {SelectorError} for an invalid key, value or operator
 */
export function compileLabelSelector(selector: LabelSelector | null | undefined): CompiledLabelSelector {
  if (!selector) return nothing
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) requirements.push(createRequirement(key, '=', [value]))
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = operators.get(operator)
    if (known === undefined) throw new SelectorError(`${goQuote(operator)} is not a valid label selector operator`)
    requirements.push(createRequirement(key, known, values ?? []))
  }
  return requirements.length === 0 ? everything : new CompiledLabelSelector(requirements)
}

/** The selector of a plain map (services, replication controllers): all pairs must match. The empty map selects everything. */
export function selectorOfSet(set: Labels): CompiledLabelSelector {
  const pairs = Object.entries(set ?? {})
  return pairs.length === 0 ? everything : new CompiledLabelSelector(pairs.map(([key, value]) => new LabelRequirement(key, '=', [value])))
}

/** A selector as a table cell: `<none>`, `app=x`, `<error>`. */
export function formatLabelSelector(selector: LabelSelector | null | undefined): string {
  try {
    return compileLabelSelector(selector).toString() || '<none>'
  } catch (error) {
    if (error instanceof SelectorError) return '<error>'
    throw error
  }
}

/** Labels as a table cell: `a=b,c=d` in key order, `<none>` if there are none. */
export function formatLabels(labels: Labels): string {
  const keys = Object.keys(labels ?? {}).sort()
  return keys.length === 0 ? '<none>' : keys.map((key) => `${key}=${labels?.[key]}`).join(',')
}
