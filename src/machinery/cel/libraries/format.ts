import { byText } from '../../../base/by-text.ts'
import { goQuote } from '../../field-error.ts'
import { goExponential, goFixed } from '../../go/go-fixed.ts'
import { formatDouble } from '../standard/conversions.ts'
import { formatDuration, formatTimestamp } from '../standard/time.ts'
import {
  CelError,
  CelMap,
  Duration,
  isList,
  isOpaque,
  isStruct,
  Optional,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from '../values.ts'

/** `%%`, or the precision and the verb of a clause. */
export const FORMAT_CLAUSES = /%(%|(?:\.(\D*?\d*))?(.?))/gsu

/** Why the precision of a clause is none. */
export function precisionFault(precision: string, verb: string | undefined): string | undefined {
  const place = 'could not parse formatting clause: error while parsing precision: '
  if (verb === '') return `${place}could not find end of precision specifier`
  if (/^\d{1,18}$/.test(precision)) return undefined
  const why = /^\d+$/.test(precision) ? 'value out of range' : 'invalid syntax'
  return `${place}error while converting precision to integer: strconv.Atoi: parsing ${goQuote(precision)}: ${why}`
}

/**
 * `"%s is %d".format([a, b])`, as the version of cel-go's strings library does it that Kubernetes has: fixed-point numbers have groups of
 * digits, exponents are superscript, and texts in lists and maps are quoted. Throws `CelError`.
 */
export function format(template: string, args: readonly Value[]): string {
  let at = 0
  return template.replace(FORMAT_CLAUSES, (_, clause: string, precision?: string, verb?: string) => {
    if (clause === '%') return '%'
    const fault = precision === undefined ? undefined : precisionFault(precision, verb)
    if (verb === undefined || (verb === '' && fault === undefined)) throw new CelError('unexpected end of string')
    if (fault !== undefined) throw new CelError(fault)
    if (at >= args.length) throw new CelError(`index ${at} out of range`)
    return formatOne(verb, precision === undefined ? undefined : Number(precision), args[at++] as Value)
  })
}

function formatOne(verb: string, precision: number | undefined, value: Value): string {
  switch (verb) {
    case 's':
      return formatString(value)
    case 'd':
      return whole(value, 10, 'decimal clause can only be used on integers')
    case 'f':
      return fixedPoint(doubleOf(value, 'fixed-point'), precision)
    case 'e':
      return scientific(doubleOf(value, 'scientific'), precision)
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : whole(value, 2, 'only integers and bools can be formatted as binary')
    case 'o':
      return whole(value, 8, 'octal clause can only be used on integers')
    case 'x':
    case 'X': {
      const hex =
        typeof value === 'string' || value instanceof Uint8Array
          ? Buffer.from(value as string).toString('hex')
          : whole(value, 16, 'only integers, byte buffers, and strings can be formatted as hex')
      return verb === 'X' ? hex.toUpperCase() : hex
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause ${goQuote(verb)}`)
  }
}

const formatError = (what: string, value: Value) => new CelError(`error during formatting: ${what}, was given ${typeName(value)}`)

function whole(value: Value, base: number, complaint: string): string {
  if (typeof value === 'bigint') return value.toString(base)
  if (value instanceof Uint) return value.value.toString(base)
  throw formatError(complaint, value)
}

const SPECIAL: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity }

function doubleOf(value: Value, clause: string): number {
  const special = typeof value === 'string' && Object.hasOwn(SPECIAL, value) ? SPECIAL[value] : undefined
  if (typeof value === 'number') return value
  if (special !== undefined) return special
  throw formatError(`${clause} clause can only be used on doubles`, value)
}

/** In English: `1,234.500000`. Go keeps the precision in a byte. */
function fixedPoint(n: number, precision = 6): string {
  if (!Number.isFinite(n)) return inPrint(n)
  const text = goFixed(n + 0, precision % 256)
  return text.replace(/\d+/, (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ','))
}

/** The most columns that a precision can fill. */
const MOST_WIDTH = 1000

/** In English: `1.234568×10⁰⁴`. The precision is but the width of what is no number. */
function scientific(n: number, precision = 6): string {
  if (!Number.isFinite(n)) return inPrint(n).padStart(Math.min(precision, MOST_WIDTH))
  const [mantissa = '', exponent = ''] = goExponential(n + 0, 6).split('e')
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0')
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${[...digits].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`
}

const inPrint = (n: number): string => (Number.isNaN(n) ? 'NaN' : n > 0 ? '∞' : '-∞')

/** A value as `%s` formats it. */
function formatString(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? formatDouble(value) : goSpecial(value)
  if (value instanceof Uint8Array) return textOf(value)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  return isFormatted(value) ? formatInside(value) : refuse(value)
}

function refuse(value: Value): never {
  const takes = 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
  throw formatError(takes, value)
}

const isFormatted = (value: Value): boolean => !(value instanceof Optional || isStruct(value) || isOpaque(value))

/** A value in a list or a map, which is shown as a literal. */
function formatInside(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? signed(value, goFixed(value, 6)) : `"${goSpecial(value)}"`
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Uint8Array) return `b${goQuote(textOf(value))}`
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`
  if (value instanceof Duration) return `duration("${formatDuration(value)}")`
  if (value instanceof TypeValue) return value.name
  if (isList(value)) return `[${value.map(formatInside).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = [...value.entries()].map(([key, item]) => [formatInside(key), item] as const)
    const sorted = entries.sort(([a], [b]) => byText(a, b))
    return `{${sorted.map(([key, item]) => `${key}:${formatInside(item)}`).join(', ')}}`
  }
  throw new CelError(`error during formatting: no formatting function for ${typeName(value)}`)
}

const goSpecial = (n: number): string => (Number.isNaN(n) ? 'NaN' : n > 0 ? '+Inf' : '-Inf')

/** JavaScript leaves the sign of a zero away. */
const signed = (n: number, text: string): string => (Object.is(n, -0) ? `-${text}` : text)

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new CelError('error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string')
  }
}
