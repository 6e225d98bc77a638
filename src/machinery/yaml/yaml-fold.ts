import { plainScalar } from './yaml-scalar.ts'

/** Texts beyond this column continue on the next line. */
const WIDTH = 80

const LINE = /^( *(?:- )*)(?!- )((?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s'"](?:[^:]|:(?! ))*): )?(.*)$/s

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

/** Writes scalars as Go's writer does: its quotes, and its line breaks in long texts at spaces. Block texts are not changed. */
export function foldYaml(text: string): string {
  const out: string[] = []
  let block: number | undefined
  for (const line of text.split('\n')) {
    const [, lead = '', name = '', found = ''] = LINE.exec(line) ?? []
    if (block !== undefined && (line === '' || line.search(/[^ ]/) > block)) {
      out.push(line)
      continue
    }
    const key = name === '' ? '' : `${quoted(name.slice(0, -2))}: `
    const value = PLAIN.has(found) ? found.slice(1, -1) : quoted(found)
    block = /^[|>][-+0-9]*$/.test(value) ? (key === '' ? Math.max(0, lead.length - 2) : lead.length) : undefined
    if (key === '' && found.endsWith(':')) out.push(`${lead}${quoted(found.slice(0, -1))}:`)
    else if (line.length <= WIDTH || value.startsWith('"') || /^[?:] /.test(found)) out.push(`${lead}${key}${value}`)
    else out.push(fold(value, `${lead}${key}`, ' '.repeat(key === '' ? lead.length : lead.length + 2)))
  }
  return out.join('\n')
}

function fold(value: string, before: string, indent: string): string {
  let out = before
  let column = before.length
  for (const [i, word] of value.split(' ').entries()) {
    const previous = out.at(-1)
    if (i > 0 && column > WIDTH && word !== '' && word !== "'" && previous !== ' ' && previous !== "'") {
      out += `\n${indent}${word}`
      column = indent.length + word.length
    } else {
      out += i === 0 ? word : ` ${word}`
      column += word.length + (i === 0 ? 0 : 1)
    }
  }
  return out
}
