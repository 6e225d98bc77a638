import { escapeHtml } from './escape-html.ts'

/**
 * Faults found by validation, each with its field path, in the words of Kubernetes' field errors.
 * Validation collects faults; it does not stop at the first.
 */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid'

export interface FieldError {
  readonly type: FieldErrorType
  /** The path in Kubernetes' notation: `spec.containers[0].ports[http].name`; `''` for the object itself. */
  readonly field: string
  /** The invalid value, if the message contains it. */
  readonly value?: unknown
  /**
   * The fault with the value but without the field: `Invalid value: "x": must be …`. Also the text of the Status cause. A value is
   * formatted when the message is read, not when the fault is found.
   */
  readonly message: string
}

/**
 * `spec`, `.child('a')` → `spec.a`, `.index(0)` → `spec.a[0]`, `.key('x')` → `spec.a[x]`. Paths are plain strings; these functions join
 * them.
 */
export const child = (path: string, name: string, ...more: string[]): string => {
  let p = path.length === 0 ? name : `${path}.${name}`
  for (let i = 0; i < more.length; i++) p = `${p}.${more[i]}`
  return p
}
export const index = (path: string, i: number): string => `${path}[${i}]`
export const key = (path: string, k: string): string => `${path}[${k}]`

/** Bad values in field errors: strings in Go's `%q`-like quoting, everything else plain or as JSON. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'object') return escapeHtml(JSON.stringify(value, (_k, v) => (typeof v === 'bigint' ? Number(v) : v)))
  return String(value)
}

/**
 * A value of one of Kubernetes' own string types (`core.PullPolicy`), or of a pointer (`*string`), in a field error: as JSON, in which Go
 * escapes other characters than `%q` does.
 */
const showNamed = (value: unknown): string => (typeof value === 'string' ? escapeHtml(JSON.stringify(value)) : showValue(value))

/** Go's `strconv.Quote`. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  if (OTHER_IN_JSON.test(text)) return `"${text.replace(SPECIALS, escaped)}"`
  return JSON.stringify(text.toWellFormed()).replace(UNPRINTABLE, escaped)
}

/** Most texts: found faster than by classes of characters. */
const PLAIN = /^[ !#-[\]-~]*$/
/** Control characters that JSON escapes in another way than Go; without them it is many times faster for long texts. */
const OTHER_IN_JSON = /(?![\b\t\n\f\r])\p{Cc}/u
/** Characters for which Go's `unicode.IsPrint` is false. */
const UNPRINTABLE = /\p{C}|(?! )\p{Z}/gu
/** Characters that Go does not write as they are. */
const SPECIALS = new RegExp(`["\\\\]|${UNPRINTABLE.source}`, 'gu')
const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
}

function escaped(c: string): string {
  const known = escapes[c]
  if (known !== undefined) return known
  // Half a surrogate pair has become this character before Go sees it.
  if (!c.isWellFormed()) return '\ufffd'
  const code = c.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

export const required = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  message: `Required value${tail(detail)}`,
})
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  get message() {
    return `Invalid value: ${showValue(value)}${tail(detail)}`
  },
})
/** The same for a value of one of Kubernetes' own string types, or of a pointer to a string. */
export const invalidNamed = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  get message() {
    return `Invalid value: ${showNamed(value)}${tail(detail)}`
  },
})
/** Invalid, by a value that the message does not show. */
export const invalidUnshown = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value${tail(detail)}`,
})
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  value,
  get message() {
    return `Invalid value: ${showValue(value)}${tail(detail)}`
  },
})
export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  value,
  get message() {
    return `Duplicate value: ${showValue(value)}`
  },
})
/** The same for a value of one of Kubernetes' own string types, or of a pointer to a string. */
export const duplicateNamed = (field: string, value: string): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  value,
  get message() {
    return `Duplicate value: ${showNamed(value)}`
  },
})
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  value,
  get message() {
    return `Not found: ${showValue(value)}`
  },
})
export const forbidden = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  message: `Forbidden${tail(detail)}`,
})
/** Not one of the values that are supported. Nearly all fields with such a list have a string type of their own. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  value,
  get message() {
    return `Unsupported value: ${showNamed(value)}${supportedTail(supported)}`
  },
})
/** The same for a field that is a plain `string` in Go. */
export const notSupportedText = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  value,
  get message() {
    return `Unsupported value: ${showValue(value)}${supportedTail(supported)}`
  },
})
const supportedTail = (supported: readonly string[]): string =>
  supported.length > 0 ? `: supported values: ${supported.map(goQuote).join(', ')}` : ''
/** Too long, in bytes. Kubernetes omits the value. */
export const tooLong = (field: string, maxBytes: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  message: maxBytes < 0 ? 'Too long: value is too long' : `Too long: may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
})
export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  message: `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
})
export const internalFault = (field: string, detail: string): FieldError => ({
  type: 'InternalError',
  field,
  message: `Internal error${tail(detail)}`,
})

const tail = (detail: string) => (detail === '' ? '' : `: ${detail}`)

/** Most faults of one validation, which may stop there. */
export const MAX_FAULTS = 1000
/** Most characters of all faults; the fault that exceeds it is still reported. */
const MAX_CHARACTERS = 1_000_000

/**
 * The faults that a response contains: the first thousand, or a million characters. A small body may have a fault per letter, each of which
 * contains the whole body; messages of further faults are never made.
 */
export function reportedFaults(faults: Iterable<FieldError>): FieldError[] {
  const reported: FieldError[] = []
  let characters = 0
  for (const { type, field, message } of faults) {
    reported.push({ type, field, message })
    characters += field.length + message.length
    if (reported.length >= MAX_FAULTS || characters >= MAX_CHARACTERS) break
  }
  return reported
}

/** Faults as Go's `Aggregate` prints them: a single one as it is, several in brackets, without duplicates. */
export function aggregateText(faults: readonly FieldError[]): string {
  const texts = [...new Set(faults.map(faultText))]
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
}

/** `spec.a: Required value`: one fault in the message of the whole error. */
export const faultText = (f: FieldError): string => (f.field === '' ? `<nil>: ${f.message}` : `${f.field}: ${f.message}`)
