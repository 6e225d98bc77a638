import { goQuote } from '../../machinery/field-error.ts'

const MAX = 18_446_744_073_709_551_615n

/** Reads a resource version as Go's `strconv.ParseUint` does: the number, or the text of the error. */
export function parseRevision(text: string): number | string {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`
  if (text.length > 15 && BigInt(text) > MAX) return `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`
  return Number(text)
}
