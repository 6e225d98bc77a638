import { formatGeneral } from '../../printf.ts'

/** A value: a text that looks like a number and comes from outside compares as one. */
export type Value = number | string | Given
/** What came from outside. */
export class Given {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An unset variable: an empty text, and zero as a number. A field that exists and is empty is a text. */
export const UNSET = new Given('')

/** A text that doubles itself in a loop ends before the memory does. */
const LONGEST = 16 * 1024 * 1024

/** @throws {Error} for a text that is too long to be held */
export function bounded(text: string): string {
  if (text.length > LONGEST) throw new Error('a text is too long')
  return text
}

/** A longer text does not compare as a number, and its beginning alone is read as one. */
const LONGEST_NUMBER = 1000

const NUMERIC = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/

/** How a value is written. */
export function text(value: Value): string {
  if (typeof value === 'string') return value
  if (value instanceof Given) return value.text
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return String(value === 0 ? 0 : value)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  return formatGeneral(value, 6)
}

/** What a value is as a number: that with which its text begins. */
export function num(value: Value): number {
  if (typeof value === 'number') return value
  const start = text(value).slice(0, LONGEST_NUMBER)
  return Number(start.match(/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/)?.[0] ?? 0)
}

/** Whether it compares as a number. */
const looksNumeric = (value: Value) =>
  typeof value === 'number' ||
  value === UNSET ||
  (value instanceof Given && value.text.length <= LONGEST_NUMBER && NUMERIC.test(value.text))

/** Whether a condition is met by it. */
export function truth(value: Value): boolean {
  return looksNumeric(value) ? num(value) !== 0 : text(value) !== ''
}

export function compare(operator: string, a: Value, b: Value): boolean {
  const order = looksNumeric(a) && looksNumeric(b) ? num(a) - num(b) : text(a) < text(b) ? -1 : Number(text(a) > text(b))
  return { '<': order < 0, '<=': order <= 0, '==': order === 0, '!=': order !== 0, '>': order > 0, '>=': order >= 0 }[operator] ?? false
}

export function calculate(operator: string, a: number, b: number): number {
  if ((operator === '/' || operator === '%') && b === 0) throw new Error('division by zero')
  return { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '%': a % b, '^': a ** b }[operator] ?? 0
}
