import { goQuote } from '../../machinery/field-error.ts'
import { badRequest } from '../../machinery/status-error.ts'

const MAX = 9_223_372_036_854_775_807n

/** Go's `strconv.ParseInt(text, 10, 64)`; its error is a 400. */
export function parseInt64(text: string): number {
  return Number(parseGoInteger(text, 'ParseInt', /^[+-]?\d+$/, -MAX - 1n, MAX))
}

/** A query parameter as a boolean: every value but `false` and `0` is true. */
export function parseFlag(text: string | undefined): boolean {
  return text !== undefined && text !== '0' && text.toLowerCase() !== 'false'
}

function parseGoInteger(text: string, name: string, syntax: RegExp, least: bigint, most: bigint): bigint {
  if (!syntax.test(text)) throw badRequest(`strconv.${name}: parsing ${goQuote(text)}: invalid syntax`)
  const value = BigInt(text)
  if (value < least || value > most) throw badRequest(`strconv.${name}: parsing ${goQuote(text)}: value out of range`)
  return value
}
