/** An invalid time or duration; the message is Go's. */
export class TimeError extends Error {
  override readonly name = 'TimeError'
}

/** Go's quoting of time texts: bytes outside printable ASCII as `\x..`. */
export function quoteTime(text: string): string {
  let out = '"'
  for (const c of text) {
    if (c === '"' || c === '\\') out += `\\${c}`
    else if (c >= ' ' && c < '\u007f') out += c
    else for (const byte of Buffer.from(c)) out += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `${out}"`
}
