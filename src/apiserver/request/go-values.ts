import { goQuote } from '../../machinery/field-error.ts'
import { badRequest } from '../../machinery/status-error.ts'

const MAX = 9_223_372_036_854_775_807n

/** Go's `strconv.ParseInt(text, 10, 64)`; its error is a 400. */
export function parseInt64(text: string): number {
  const fault = (why: string) => badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`)
  if (!/^[+-]?\d+$/.test(text)) throw fault('invalid syntax')
  const value = BigInt(text)
  if (value < -MAX - 1n || value > MAX) throw fault('value out of range')
  return Number(value)
}

/** A query parameter as a boolean: every value but `false` and `0` is true. */
export function parseFlag(text: string | undefined): boolean {
  return text !== undefined && text !== '0' && text.toLowerCase() !== 'false'
}
