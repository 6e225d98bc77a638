/** A block of a PEM text. */
export interface PemBlock {
  /** `CERTIFICATE`, `EC PRIVATE KEY`. */
  readonly type: string
  /** From its first dash to its last. */
  readonly text: string
  /** The lines `NAME: VALUE` before the base64; `''` if there are none. */
  readonly headers: string
  /** Base64. */
  readonly body: string
}

const BEGIN = '-----BEGIN '
const END = '-----END '
const DASHES = '-----'

/**
 * The blocks of a text, in order; text around them, and blocks without a matching end or with anything but base64, are skipped. Linear in
 * the length of the text.
 */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let end = 0
  for (let begin = text.indexOf(BEGIN); begin >= 0 && end >= 0; ) {
    const next = begin + BEGIN.length
    const closed = text.indexOf(DASHES, next)
    if (closed < 0) break
    const type = text.slice(next, closed)
    const bodyAt = lineEnd(text, closed + DASHES.length)
    if (end < closed) end = text.indexOf(END, closed)
    const last = `${END}${type}${DASHES}`
    if (end >= 0 && bodyAt >= 0 && !type.includes('\n') && text.startsWith(last, end)) {
      const [headers, body] = splitHeaders(text.slice(bodyAt, end))
      if (isBase64(body)) blocks.push({ type, text: text.slice(begin, end + last.length), headers, body })
      begin = text.indexOf(BEGIN, end + last.length)
    } else begin = text.indexOf(BEGIN, next)
  }
  return blocks
}

function splitHeaders(text: string): [headers: string, body: string] {
  let at = 0
  for (let next = text.indexOf('\n'); next >= 0 && text.slice(at, next).includes(':'); next = text.indexOf('\n', at)) at = next + 1
  return [text.slice(0, at), text.slice(at)]
}

function isBase64(text: string): boolean {
  const digits = text.replace(/[ \t\r\n]/g, '')
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
}

/** The offset of the next line if the rest of this one is blank; otherwise -1. */
function lineEnd(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at++
  return text[at] === '\n' ? at + 1 : -1
}
