import { posix } from 'node:path'
import { badRequest } from '../../../machinery/status-error.ts'

const VERSION = 'meta.k8s.io/v1'

/** Where a list continues: after which key (relative to the listed prefix), at which revision; -1 means "as of now". */
export interface ListToken {
  readonly revision: number
  readonly from: string
}

export function encodeListToken(token: ListToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: token.revision, start: token.from })).toString('base64url')
}

/** Throws Kubernetes' 400 for an invalid token. */
export function decodeListToken(text: string): ListToken {
  const bad = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`)
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) {
    const at = text.search(/[^A-Za-z0-9_-]/)
    throw bad(`illegal base64 data at input byte ${at < 0 ? text.length - 1 : at}`)
  }
  const json = Buffer.from(text, 'base64url').toString()
  const token = objectOf(json, bad, text)
  if (token.v !== VERSION) throw bad(`server does not recognize this encoded version ${typeof token.v === 'string' ? token.v : ''}`)
  const revision = typeof token.rv === 'number' ? token.rv : 0
  if (revision === 0) throw bad(`incorrect encoded start resourceVersion (version ${VERSION})`)
  const start = typeof token.start === 'string' ? token.start : ''
  if (start === '') throw bad(`encoded start key empty (version ${VERSION})`)
  // kube-apiserver's tokens begin with a slash or not, depending on where it read the page.
  const from = start.replace(/^\//, '')
  if (!isClean(`/${from}`)) throw bad(start)
  return { revision, from }
}

/** As Go's `path.Clean` leaves it. */
const isClean = (key: string) => key === '/' || (!key.endsWith('/') && posix.normalize(key) === key)

type Refuse = (why: string) => Error

/** The members of a token; `null` has none. */
function objectOf(json: string, bad: Refuse, text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  let value: object
  try {
    value = JSON.parse(json) ?? {}
  } catch {
    throw bad(json === '' ? 'unexpected end of JSON input' : `invalid character ${quoteCharacter(text)} looking for beginning of value`)
  }
  const type = typeOf(value)
  if (type !== 'object') throw bad(`json: cannot unmarshal ${type} into Go value of type storage.continueToken`)
  for (const [name, member] of Object.entries(value)) {
    const wanted = FIELDS.get(name)
    if (wanted === undefined || member === null || typeOf(member) === (wanted === 'string' ? 'string' : 'number')) continue
    throw bad(`json: cannot unmarshal ${typeOf(member)} into Go struct field continueToken.${name} of type ${wanted}`)
  }
  return value
}

const FIELDS: ReadonlyMap<string, 'string' | 'int64'> = new Map([
  ['v', 'string'],
  ['rv', 'int64'],
  ['start', 'string'],
])

/** What Go calls the type of a JSON value. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Quotes one byte as Go does: bytes, not characters, and unprintable ones escaped. */
function quoteCharacter(text: string): string {
  const byte = Buffer.from(text, 'base64url')[0] ?? 0
  return byte < 0x20 || (byte >= 0x7f && byte < 0xa1) ? `'\\u${byte.toString(16).padStart(4, '0')}'` : `'${String.fromCharCode(byte)}'`
}
