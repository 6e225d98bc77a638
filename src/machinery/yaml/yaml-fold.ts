import { plainScalar } from './yaml-scalar.ts'

/** Texts beyond this column continue on the next line. */
const WIDTH = 80

const LINE = /^( *(?:[-:] )*)(?![-:] )((?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s'"](?:[^:]|:(?! ))*): )?(.*)$/s

const TIMESTAMP = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** js-yaml writes these texts without quotes, but Go reads them as numbers. js-yaml itself never writes a number so. */
const UPPER_CASE_BASE = /^[-+]?0[XBO]/

/** Values that js-yaml quotes and Go does not. */
const PLAIN: ReadonlySet<string> = new Set(["'='", "'<<'"])
/** The beginning of a line that ends a document. */
const DOCUMENT_MARK = /^(?:---|\.\.\.)/
/** Characters that Go escapes, of those that js-yaml writes as they are. */
const WIDE = /[\u{10000}-\u{10ffff}]/gu

/** Texts that would be read as something else without quotes get double ones; texts that would be invalid get single ones. */
function quoted(value: string): string {
  if (UPPER_CASE_BASE.test(value)) return typeof plainScalar(value) === 'string' ? value : JSON.stringify(value)
  if (value.startsWith('"')) return value
  const isQuoted = value.length > 1 && value.startsWith("'") && value.endsWith("'")
  const text = isQuoted ? value.slice(1, -1).replaceAll("''", "'") : value
  const escaped = text.search(WIDE) >= 0
  if (escaped || TIMESTAMP.test(text) || BASE_60.test(text) || (isQuoted && typeof plainScalar(text) !== 'string'))
    return escaped ? JSON.stringify(text).replace(WIDE, codePoint) : JSON.stringify(text)
  return !isQuoted && DOCUMENT_MARK.test(text) ? `'${text.replaceAll("'", "''")}'` : value
}

const codePoint = (character: string) => `\\U${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(8, '0')}`

/** The longest key, in bytes, that is written before its colon; a longer one is explicit: `? key`, and `: value` on the next line. */
const LONGEST_KEY = 128

function isExplicit(key: string): boolean {
  if (key.length * 3 <= LONGEST_KEY) return false
  const text = key.startsWith("'") ? key.slice(1, -1).replaceAll("''", "'") : key.startsWith('"') ? key.slice(1, -1) : key
  return Buffer.byteLength(text) > LONGEST_KEY
}

/** Moves the lines of values that belong to explicit keys to their places. */
class ExplicitValues {
  /** The columns of open lists that are such values, as js-yaml wrote them. Their lines belong two columns further to the right. */
  readonly #lists: number[] = []
  /** The column of the explicit key on the line before. */
  #key: number | undefined

  get #shift(): number {
    return 2 * this.#lists.length
  }

  /** The value of the key at this column, as it was placed, begins on the next line. */
  beginAfter(column: number): void {
    this.#key = column - this.#shift
  }

  place(line: string): string {
    const column = line.search(/[^ ]/)
    if (column < 0) return line
    const isIn = (list: number) => column > list || (column === list && line.startsWith('- ', column))
    while (this.#lists.length > 0 && !isIn(this.#lists.at(-1) ?? 0)) this.#lists.pop()
    const key = this.#key
    this.#key = undefined
    if (key === undefined) return ' '.repeat(this.#shift) + line
    const before = `${' '.repeat(this.#shift + key)}: `
    if (column === key) this.#lists.push(key)
    return before + line.slice(column)
  }
}

/** Writes scalars as Go's writer does: its quotes, and its line breaks in long texts at spaces. Block texts are not changed. */
export function foldYaml(text: string): string {
  const out: string[] = []
  const values = new ExplicitValues()
  let block: number | undefined
  for (const written of text.split('\n')) {
    const line = values.place(written)
    if (block !== undefined && (line === '' || line.search(/[^ ]/) > block)) {
      out.push(line)
      continue
    }
    const [, lead = '', name = '', found = ''] = LINE.exec(line) ?? []
    const isParent = name === '' && found.endsWith(':')
    const key = isParent ? quoted(found.slice(0, -1)) : name === '' ? '' : quoted(name.slice(0, -2))
    const value = isParent ? '' : PLAIN.has(found) ? found.slice(1, -1) : quoted(found)
    block = /^[|>][-+0-9]*$/.test(value) ? (key === '' ? Math.max(0, lead.length - 2) : lead.length) : undefined
    const below = ' '.repeat(lead.length)
    if (isExplicit(key)) {
      out.push(foldIfLong(key, `${lead}? `, `${below}  `))
      if (isParent) values.beginAfter(lead.length)
      else out.push(foldIfLong(value, `${below}: `, `${below}  `))
    } else if (isParent) out.push(`${lead}${key}:`)
    else if (key === '') out.push(foldIfLong(value, lead, below))
    else out.push(foldIfLong(value, `${lead}${key}: `, `${below}  `))
  }
  return out.join('\n')
}

function foldIfLong(value: string, before: string, indent: string): string {
  const fits = before.length + value.length <= WIDTH || value.startsWith('"') || /^[?:] /.test(value)
  return fits ? before + value : fold(value, before, indent)
}

function fold(value: string, before: string, indent: string): string {
  let out = before
  let column = before.length
  for (const [i, word] of value.split(' ').entries()) {
    // The first and the last space in quotes stay on their line.
    const inside = i > 0 && word !== '' && word !== "'" && !out.endsWith(' ') && out !== `${before}'`
    if (inside && column > WIDTH) {
      out += `\n${indent}${word}`
      column = indent.length + word.length
    } else {
      out += i === 0 ? word : ` ${word}`
      column += word.length + (i === 0 ? 0 : 1)
    }
  }
  return out
}
