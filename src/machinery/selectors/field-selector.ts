import { SelectorError } from './label-requirement.ts'

/** `field=value`, or `field!=value`. */
export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** A conjunction of comparisons of fields with texts. The definition of a kind lists its selectable fields. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  #wishes: ReadonlyMap<string, FieldConditions> | undefined

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements
  }

  /** `read` returns the text of a field; an absent field is the empty text. */
  matches(read: (field: string) => string): boolean {
    this.#wishes ??= conditionsByField(this.requirements)
    for (const [field, { is, isNot }] of this.#wishes) {
      const value = read(field)
      if (is !== undefined && (value !== is.value || is.contradicted)) return false
      if (isNot.has(value)) return false
    }
    return true
  }

  isEmpty(): boolean {
    return this.requirements.length === 0
  }

  /** The single value that a field must have, if there is one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === '=')?.value
  }

  /** The text form, which can be parsed again. */
  toString(): string {
    return this.requirements.map((r) => `${r.field}${r.operator}${escapeFieldValue(r.value)}`).join(',')
  }
}

/** All requirements of one field: a selector may contain thousands. */
interface FieldConditions {
  is: { readonly value: string; contradicted: boolean } | undefined
  readonly isNot: Set<string>
}

function conditionsByField(requirements: readonly FieldRequirement[]): ReadonlyMap<string, FieldConditions> {
  const wishes = new Map<string, FieldConditions>()
  for (const { field, operator, value } of requirements) {
    const wish = wishes.get(field) ?? { is: undefined, isNot: new Set<string>() }
    wishes.set(field, wish)
    if (operator === '!=') wish.isNot.add(value)
    else if (wish.is === undefined) wish.is = { value, contradicted: false }
    else if (wish.is.value !== value) wish.is.contradicted = true
  }
  return wishes
}

/** Escapes a text for use as a value in a field selector. */
export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&')

/**
 * Reads `metadata.name=a,status.phase!=Running`; `\\`, `\,` and `\=` are literal in values.
 * @throws {SelectorError} in Kubernetes' words
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const match = /!=|==?/.exec(term)
    if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`)
    const value = unescapeValue(term.slice(match.index + match[0].length))
    requirements.push({ field: term.slice(0, match.index), operator: match[0] === '!=' ? '!=' : '=', value })
  }
  // A selector of nothing but `=` is as if it were not there.
  return new FieldSelector(requirements.every(({ field, value }) => field === '' && value === '') ? [] : requirements)
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  let escaped = false
  for (const c of text) {
    if (escaped) {
      if (!'\\,='.includes(c)) throw new SelectorError(`invalid field selector: invalid escape sequence: \\${c}`)
      value += c
      escaped = false
    } else if (c === '\\') escaped = true
    else if (c === ',' || c === '=') throw new SelectorError(`invalid field selector: unescaped character in value: ${c.charCodeAt(0)}`)
    else value += c
  }
  if (escaped) throw new SelectorError('invalid field selector: invalid escape sequence: \\')
  return value
}
