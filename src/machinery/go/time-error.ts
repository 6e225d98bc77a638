/** An invalid time or duration; the message is Go's. */
export class TimeError extends Error {
  override readonly name = 'TimeError'
}

const HEX = Buffer.from('0123456789abcdef')
const [QUOTE, BACKSLASH, X] = Buffer.from('"\\x') as unknown as [number, number, number]

/** Go's quoting of time texts: bytes outside printable ASCII as `\x..`. A text may be megabytes long, so it is written byte by byte. */
export function quoteTime(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const bytes = Buffer.from(text)
  const out = Buffer.allocUnsafe(4 * bytes.length)
  let end = 0
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f
    if (!isPlain || byte === QUOTE || byte === BACKSLASH) out[end++] = BACKSLASH
    if (isPlain) out[end++] = byte
    else {
      out[end++] = X
      out[end++] = HEX[byte >> 4] ?? 0
      out[end++] = HEX[byte & 15] ?? 0
    }
  }
  return `"${out.toString('latin1', 0, end)}"`
}
