import { goQuote } from '../field-error.ts'

const NORMALIZED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Why a text is no UID in its one form; undefined if it is. */
export function uidFault(text: string): string | undefined {
  if (NORMALIZED.test(text)) return undefined
  // Go counts bytes.
  const why = parseFault(Buffer.from(text).toString('latin1'))
  if (why !== undefined) return `error validating uid: ${why}`
  return 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
}

const URN = 'urn:uuid:'
const BADLY_FORMED = 'invalid UUID format'
const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Why Go's parser refuses the bytes: it also takes a URN, braces, and digits without hyphens. */
function parseFault(bytes: string): string | undefined {
  const format = (uuid: string) => (HYPHENATED.test(uuid) ? undefined : BADLY_FORMED)
  switch (bytes.length) {
    case 36:
      return format(bytes)
    case 36 + URN.length: {
      const prefix = bytes.slice(0, URN.length)
      return prefix.toLowerCase() === URN ? format(bytes.slice(URN.length)) : `invalid urn prefix: ${goQuote(prefix)}`
    }
    case 38:
      return bytes.startsWith('{') && bytes.endsWith('}') ? format(bytes.slice(1, -1)) : 'invalid bracketed UUID format'
    case 32:
      return /^[0-9a-f]+$/i.test(bytes) ? undefined : BADLY_FORMED
    default:
      return `invalid UUID length: ${bytes.length}`
  }
}
