import { goQuote } from '../../machinery/field-error.ts'
import { StatusError } from '../../machinery/status-error.ts'

const MAX = 18_446_744_073_709_551_615n

/** Reads a resource version as Go's `strconv.ParseUint` does: the number, or the text of the error. */
export function parseRevision(text: string): number | string {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`
  if (text.length > 15 && BigInt(text) > MAX) return `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`
  return Number(text)
}

/** Throws 500 for the resource version of a write that is no number. */
export function checkRevision(text: string): void {
  const revision = parseRevision(text)
  if (typeof revision === 'string') throw new StatusError({ code: 500, message: revision })
}
