import type { Matcher } from 're2js'
import { compileRegex } from '../../../machinery/go/compile-regex.ts'
import { matcherOf } from '../expressions.ts'
import { Given, text, UNSET, type Value } from './values.ts'
import { MOST_CELLS, type Variables } from './variables.ts'

/** The current line, and its fields, which are split on demand. */
export class InputRecord {
  readonly #variables: Variables
  #text = ''
  #fields: Value[] | undefined
  /** `OFS` when a field was set; undefined: the text is that of the fields. Joined on demand: a program may set each field of a line. */
  #joinedBy: string | undefined

  constructor(variables: Variables) {
    this.#variables = variables
  }

  get text(): string {
    if (this.#joinedBy !== undefined) this.#text = this.#cut().map(text).join(this.#joinedBy)
    this.#joinedBy = undefined
    return this.#text
  }

  load(line: string): void {
    this.#text = line
    this.#fields = undefined
    this.#joinedBy = undefined
  }

  /** `NF`. */
  get count(): number {
    return this.#cut().length
  }

  /** `NF = count`. */
  setCount(count: number): void {
    const fields = this.#cut()
    fields.length = Math.max(0, Math.min(count, fields.length))
    this.#fill(count)
    this.#joinedBy = this.#variables.text('OFS')
  }

  field(index: number): Value {
    if (index < 0) throw new Error(`access to negative field ${index}`)
    return index === 0 ? new Given(this.text) : (this.#cut()[index - 1] ?? UNSET)
  }

  setField(index: number, value: Value): void {
    if (index === 0) this.load(text(value))
    else {
      this.#fill(index)
      this.#cut()[index - 1] = value
      this.#joinedBy = this.#variables.text('OFS')
    }
  }

  #cut(): Value[] {
    this.#fields ??= splitFields(this.#text, this.#variables.text('FS'))
    return this.#fields
  }

  #fill(count: number): void {
    if (!(count >= 0 && count <= MOST_CELLS)) throw new Error(`no such field: ${count}`)
    const fields = this.#cut()
    while (fields.length < count) fields.push('')
  }
}

/**
 * Splits a text by the rules of `FS` and `split`: by blanks, by one character, by a regular expression, or into characters.
 * @throws {Error} for more parts than an array may have
 */
export function splitFields(whole: string, separator: string): Value[] {
  const parts = cutText(whole, separator)
  if (parts.length > MOST_CELLS) throw new Error('too many elements')
  return parts.map((part) => new Given(part))
}

function cutText(whole: string, separator: string): readonly string[] {
  // One more than the limit, so that an excess is noticed and no more are made.
  const most = MOST_CELLS + 1
  if (separator === ' ') return whole.split(/[ \t\n]+/, most).filter((part) => part !== '')
  if (whole === '') return []
  if (separator === '') return [...whole.slice(0, 2 * most)]
  return separator.length === 1 ? whole.split(separator, most) : partsBetween(matcherOf(compileRegex(separator), whole), whole, most)
}

function partsBetween(matcher: Matcher, whole: string, most: number): readonly string[] {
  const parts: string[] = []
  let last = 0
  while (parts.length < most && matcher.find()) {
    if (matcher.end() === 0) continue
    parts.push(whole.slice(last, matcher.start()))
    last = matcher.end()
  }
  return [...parts, whole.slice(last)]
}
