import type { Offset } from './ast.ts'

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
    super(issues.map((issue) => showIssue(source, issue)).join('\n'))
    this.issues = issues
  }
}

/** `ERROR: <input>:1:5: message`, the line, and a mark below the position. */
export function showIssue(source: string, { at, message }: Issue): string {
  // cel-go has no position in an empty text.
  if (source === '') return `ERROR: <input>:1:0: ${message}`
  const points = [...source]
  const before = points.slice(0, at)
  const line = before.filter((c) => c === '\n').length
  const column = at - (before.lastIndexOf('\n') + 1)
  const text = source.split('\n')[line] ?? ''
  // Wide characters get a wide mark.
  const dots = [...text]
    .slice(0, column)
    .map((c) => ((c.codePointAt(0) ?? 0) > 127 ? '．' : '.'))
    .join('')
  const mark = (([...text][column] ?? '').codePointAt(0) ?? 0) > 127 ? '＾' : '^'
  return `ERROR: <input>:${line + 1}:${column + 1}: ${message}\n | ${text.replaceAll('\t', ' ')}\n | ${dots}${mark}`
}
