import { escapeFieldValue, parseFieldSelector } from '../../../machinery/selectors/field-selector.ts'
import { createRequirement, type LabelOperator, SelectorError } from '../../../machinery/selectors/label-requirement.ts'
import { parseLabelSelector } from '../../../machinery/selectors/label-selector.ts'

/** A selector of a review: as text, or as a list of requirements. */
export interface SelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly SelectorRequirement[]
}

export interface SelectorRequirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

export interface ReadSelector {
  /** The valid part as the text of a selector; undefined if there is none. */
  readonly text: string | undefined
  /** The valid requirements, if it was a list of requirements. */
  readonly requirements?: readonly SelectorRequirement[]
  /** How much of it was invalid: without it the review asks for more. */
  readonly ignored: '' | 'ignored' | 'partially ignored'
}

const NOTHING: ReadSelector = { text: undefined, ignored: '' }

/** Fields can only be compared with one value. */
export const readFieldSelector = (selector: SelectorAttributes | undefined): ReadSelector =>
  readSelector(selector, parseFieldSelector, ({ key = '', operator, values = [] }) => {
    const [value] = values
    if (value === undefined || values.length > 1) return undefined
    if (operator === 'In') return `${key}=${escapeFieldValue(value)}`
    return operator === 'NotIn' ? `${key}!=${escapeFieldValue(value)}` : undefined
  })

const LABEL_OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }

export const readLabelSelector = (selector: SelectorAttributes | undefined): ReadSelector =>
  readSelector(selector, parseLabelSelector, ({ key = '', operator = '', values = [] }) => {
    const found = Object.hasOwn(LABEL_OPERATORS, operator) ? LABEL_OPERATORS[operator] : undefined
    return found !== undefined && isReadable(() => createRequirement(key, found, values))
      ? createRequirement(key, found, values).toString()
      : undefined
  })

function readSelector(
  selector: SelectorAttributes | undefined,
  parse: (text: string) => unknown,
  write: (requirement: SelectorRequirement) => string | undefined,
): ReadSelector {
  if (selector === undefined) return NOTHING
  const { rawSelector = '', requirements = [] } = selector
  if (requirements.length === 0) return isReadable(() => parse(rawSelector)) ? whole(rawSelector) : { text: undefined, ignored: 'ignored' }
  const terms = requirements.map((requirement) => ({ requirement, text: write(requirement) }))
  const readable = terms.filter(({ text }) => text !== undefined)
  if (readable.length === 0) return { text: undefined, ignored: 'ignored' }
  return {
    text: readable.map(({ text }) => text).join(','),
    requirements: readable.map(({ requirement }) => requirement),
    ignored: readable.length === terms.length ? '' : 'partially ignored',
  }
}

const whole = (text: string): ReadSelector => (text === '' ? NOTHING : { text, ignored: '' })

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}
