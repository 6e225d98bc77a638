const ESCAPED = /[<>&\u2028\u2029]/
const escapeOf = (character: string) => Buffer.from(`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
/** By the first byte of a character. */
const ESCAPES = new Map(['<', '>', '&'].map((character) => [character.charCodeAt(0), escapeOf(character)]))
/** U+2028 and U+2029 have three bytes. */
const SEPARATORS = ['\u2028', '\u2029'].map((character) => ({ bytes: Buffer.from(character), escape: escapeOf(character) }))
const SEPARATOR = 0xe2

/**
 * Escapes the characters in strings that Go's encoder escapes although JSON does not require it. Byte by byte: of a text with a million of
 * them each would be a call.
 */
export function escapeHtml(json: string): string {
  if (!ESCAPED.test(json)) return json
  const from = Buffer.from(json)
  const to = Buffer.allocUnsafe(6 * from.length)
  let end = 0
  for (let i = 0; i < from.length; i++) {
    const byte = from[i] as number
    const separator = byte === SEPARATOR ? separatorAt(from, i) : undefined
    const escaped = separator ?? ESCAPES.get(byte)
    if (escaped === undefined) to[end++] = byte
    else for (let k = 0; k < escaped.length; k++) to[end++] = escaped[k] as number
    if (separator !== undefined) i += 2
  }
  return to.toString('utf8', 0, end)
}

const separatorAt = (from: Buffer, at: number): Buffer | undefined =>
  SEPARATORS.find(({ bytes }) => from[at + 1] === bytes[1] && from[at + 2] === bytes[2])?.escape
