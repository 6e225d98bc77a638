import { byText } from '../../base/by-text.ts'
import { aggregateText, type FieldError, index, invalid, key as keyOf, notSupportedText } from '../field-error.ts'
import { labelValue, qualifiedName } from '../names.ts'
import { compileRequirement, type LabelMatcher, type LabelSet, parseInt64 } from './label-matcher.ts'

/** The operators of the text form; `gt` and `lt` compare integers. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt'

export const binaryOperators: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt']

/** An invalid selector. The message is Kubernetes' own. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

export type Labels = Readonly<Record<string, string>> | undefined | null

const none: LabelSet = {}

/** The operators as in objects. */
const written: Readonly<Record<LabelOperator, string>> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
  gt: 'Gt',
  lt: 'Lt',
}

/** One condition on one label. */
export class LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
  readonly #matcher: LabelMatcher

  /** Does not validate: see `createRequirement`. */
  constructor(key: string, operator: LabelOperator, values: readonly string[]) {
    this.key = key
    this.operator = operator
    this.values = values
    this.#matcher = compileRequirement({ key, operator: written[operator], values })
  }

  matches(labels: Labels): boolean {
    return this.#matcher(labels ?? none)
  }

  toString(): string {
    const values = [...this.values].sort(byText).join(',')
    switch (this.operator) {
      case 'exists':
        return this.key
      case '!':
        return `!${this.key}`
      case 'in':
      case 'notin':
        return `${this.key} ${this.operator} (${values})`
      case 'gt':
        return `${this.key}>${values}`
      case 'lt':
        return `${this.key}<${values}`
      default:
        return `${this.key}${this.operator}${values}`
    }
  }
}

/**
 * Makes a requirement from a valid key and values.
 * @throws {SelectorError} with every fault
 */
export function createRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const faults: FieldError[] = []
  const wrongKey = qualifiedName(key)
  if (wrongKey.length > 0) faults.push(invalid('key', key, wrongKey.join('; ')))
  faults.push(...checkCount(operator, values))
  for (const [i, value] of values.entries()) {
    const wrong = labelValue(value)
    if (wrong.length > 0) faults.push(invalid(keyOf(index('values', i), key), value, wrong.join('; ')))
  }
  if (faults.length > 0) throw new SelectorError(aggregateText(faults))
  return new LabelRequirement(key, operator, values)
}

function checkCount(operator: LabelOperator, values: readonly string[]): FieldError[] {
  const bad = (why: string) => [invalid('values', values, why)]
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0 ? bad("for 'in', 'notin' operators, values set can't be empty") : []
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : bad('exact-match compatibility requires one single value')
    case 'exists':
    case '!':
      return values.length === 0 ? [] : bad('values set must be empty for exists and does not exist')
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1 ? [] : bad("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, i) =>
          parseInt64(value) === undefined
            ? [invalid(index('values', i), value, "for 'Gt', 'Lt' operators, the value must be an integer")]
            : [],
        ),
      ]
    default:
      return [notSupportedText('operator', operator, [...binaryOperators, 'exists', '!'])]
  }
}
