import type { Headers } from './headers.ts'

/** Characters that Node and every proxy accept. */
const PLAIN = /^[\t\x20-\x7e]*$/
const LINE_ENDS = /[\r\n]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not leave.
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/**
 * Any text as a header value: its UTF-8 bytes, one per character, as Go sends them. Line ends become spaces and control characters are
 * removed, so that no text can end a header or break a connection.
 */
export function headerValue(text: string): string {
  if (PLAIN.test(text)) return text
  return Buffer.from(text.replace(LINE_ENDS, ' ').replace(CONTROL, '')).toString('latin1')
}

/** The text of a received header: Node shows its bytes as characters; they are decoded as UTF-8. */
export const headerText = (value: string): string => (PLAIN.test(value) ? value : Buffer.from(value, 'latin1').toString())

/** Headers whose values can be sent; returns its argument if nothing had to change. */
export function sendable(headers: Headers): Headers {
  let changed: Record<string, string | readonly string[]> | undefined
  for (const name in headers) {
    const value = headers[name]
    const clean = typeof value === 'string' ? headerValue(value) : value?.map(headerValue)
    if (clean === value || clean === undefined) continue
    changed ??= { ...headers }
    changed[name] = clean
  }
  return changed ?? headers
}

/** A status code that can be sent: an invalid code from a delegate becomes 500. */
export const sendableCode = (code: number): number => (Number.isInteger(code) && code >= 200 && code <= 599 ? code : 500)
