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

/** Query parameters as a list of numbers, several of them separated by commas; an error is a 400. */
export function parseUint16s(texts: readonly string[]): number[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const fault = (why: string) => badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`)
      if (!/^\d+$/.test(text)) throw fault('invalid syntax')
      if (BigInt(text) > 65_535n) throw fault('value out of range')
      return Number(text)
    })
}
