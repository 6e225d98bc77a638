import type { Offset } from './ast.ts'
import { codePointsOf } from './values.ts'

/** A fault found while parsing or checking, with its position. */
export interface Issue {
  readonly at: Offset
  readonly message: string
}

/** The expression cannot be used; `message` shows every fault under its line, as cel-go prints them. */
export class CelIssues extends Error {
  override readonly name = 'CelIssues'
  readonly issues: readonly Issue[]
  constructor(source: string, issues: readonly Issue[]) {
    super(shownIssues(source, issues).join('\n'))
    this.issues = issues
  }
}

/** Most faults that a message shows, and the longest line, in bytes, that it shows for each (cel-go's limits). */
const MOST_SHOWN = 100
const LONGEST_LINE = 16_384

function shownIssues(source: string, issues: readonly Issue[]): string[] {
  const shown = issues.slice(0, MOST_SHOWN).map((issue) => showIssue(source, issue))
  if (issues.length > MOST_SHOWN) shown.push(`${issues.length - MOST_SHOWN} more errors were truncated`)
  return shown
}

/** `ERROR: <input>:1:5: message`, the line, and a mark below the position. */
export function showIssue(source: string, { at, message }: Issue): string {
  // cel-go has no position in an empty text.
  if (source === '') return `ERROR: <input>:1:0: ${message}`
  const unit = unitOf(source, at)
  const start = unit === 0 ? 0 : source.lastIndexOf('\n', unit - 1) + 1
  const end = source.indexOf('\n', unit)
  const line = source.slice(0, start).split('\n').length
  const before = source.slice(start, unit)
  const text = source.slice(start, end < 0 ? undefined : end)
  // Wide characters get a wide mark.
  const dots = ASCII.test(before) ? '.'.repeat(before.length) : before.replace(/./gsu, (c) => (c > '\u007f' ? '．' : '.'))
  const mark = end !== unit && (source.codePointAt(unit) ?? 0) > 127 ? '＾' : '^'
  const head = `ERROR: <input>:${line}:${codePointsOf(before) + 1}: ${message}`
  return Buffer.byteLength(text) > LONGEST_LINE ? head : `${head}\n | ${text.replaceAll('\t', ' ')}\n | ${dots}${mark}`
}

const ASCII = /^[\0-\u007f]*$/

/** The index in UTF-16 of a code point. The text may be megabytes long. */
function unitOf(text: string, codePoint: Offset): number {
  if (codePointsOf(text) === text.length) return Math.min(codePoint, text.length)
  let unit = 0
  for (let i = 0; i < codePoint && unit < text.length; i++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1
  return unit
}
