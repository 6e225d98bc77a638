import type { Headers } from './headers.ts'

/** What Node and every proxy take as it is. */
const PLAIN = /^[\t\x20-\x7e]*$/
const LINE_ENDS = /[\r\n]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not leave.
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/**
 * Any text as the value of a header: its UTF-8 bytes, one a character, as Go sends them. Line ends become blanks and control characters go, so that no
 * text can end a header or break a connection.
 */
export function headerValue(text: string): string {
  if (PLAIN.test(text)) return text
  return Buffer.from(text.replace(LINE_ENDS, ' ').replace(CONTROL, '')).toString('latin1')
}

/** The text of a header that was received: the bytes that Node shows as characters, read as UTF-8. */
export const headerText = (value: string): string => (PLAIN.test(value) ? value : Buffer.from(value, 'latin1').toString())

/** Headers whose values can be sent. The same object when nothing had to be changed. */
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

/** A status code that can be sent: one that no server may answer with (a delegate did) becomes 500. */
export const sendableCode = (code: number): number => (Number.isInteger(code) && code >= 200 && code <= 599 ? code : 500)
