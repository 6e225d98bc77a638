/**
 * Go's `time.Parse` for the two layouts that Kubernetes' timestamps use, with Go's error texts, and the canonical form in which they are written.
 */
const RFC3339 = '2006-01-02T15:04:05Z07:00'
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00'

/** A text that is no time; the message is Go's. */
export class TimeError extends Error {
  override readonly name = 'TimeError'
}

/** `meta/v1 Time`: any zone and any fraction in, UTC and whole seconds out. */
export function canonicalTime(text: string): string {
  if (text.length === 20 && isPlainSecond(text)) return text
  const { seconds } = parse(text, RFC3339)
  return format(seconds)
}

/** Objects that are written carry times of a moment ago, again and again. */
const recent = new Set<string>()
const RECENT = 256

const isPlainSecond = (text: string): boolean => recent.has(text) || isPlain(text)

function isPlain(text: string): boolean {
  if (!PLAIN.test(text) || Number(text.slice(8, 10)) > 28) return false
  if (recent.size >= RECENT) recent.clear()
  recent.add(text)
  return true
}

/** `meta/v1 MicroTime`: six digits of fraction in and out. */
export function canonicalMicroTime(text: string): string {
  if (text.length === 27 && PLAIN_MICROS.test(text) && isPlainSecond(`${text.slice(0, 19)}Z`)) return text
  const { seconds, nanos } = parse(text, RFC3339_MICRO)
  return `${format(seconds).slice(0, -1)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

/** Most timestamps are written in canonical form already; days after the 28th are looked at with care. */
const PLAIN = /^(?!0001-01-01T00:00:00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

const PLAIN_MICROS = /\.\d{6}Z$/

interface Instant {
  /** Since 1970. */
  readonly seconds: number
  readonly nanos: number
}

/** The rest of the text, and what its layout asks for next: Go names both when they do not fit. */
class Reader {
  readonly text: string
  readonly layout: string
  rest: string

  constructor(text: string, layout: string) {
    this.text = text
    this.layout = layout
    this.rest = text
  }

  literal(part: string) {
    if (!this.rest.startsWith(part)) this.misfit(part)
    this.rest = this.rest.slice(part.length)
  }

  /** A number of exactly `digits` digits. */
  number(digits: number, element: string, range?: { name: string; from: number; to: number }): number {
    const found = this.rest.match(/^\d+/)?.[0].slice(0, digits) ?? ''
    if (found.length < digits) this.misfit(element)
    this.rest = this.rest.slice(digits)
    const value = Number(found)
    if (range && (value < range.from || value > range.to)) this.outOfRange(range.name)
    return value
  }

  misfit(element: string): never {
    throw new TimeError(`parsing time ${quote(this.text)} as ${quote(this.layout)}: cannot parse ${quote(this.rest)} as ${quote(element)}`)
  }

  outOfRange(name: string): never {
    throw new TimeError(`parsing time ${quote(this.text)}: ${name} out of range`)
  }

  end() {
    if (this.rest !== '') throw new TimeError(`parsing time ${quote(this.text)}: extra text: ${quote(this.rest)}`)
  }
}

function parse(text: string, layout: string): Instant {
  const reader = new Reader(text, layout)
  const year = reader.number(4, '2006')
  reader.literal('-')
  const month = reader.number(2, '01', { name: 'month', from: 1, to: 12 })
  reader.literal('-')
  const day = reader.number(2, '02')
  reader.literal('T')
  const hour = hours(reader)
  reader.literal(':')
  const minute = reader.number(2, '04', { name: 'minute', from: 0, to: 59 })
  reader.literal(':')
  const second = reader.number(2, '05', { name: 'second', from: 0, to: 59 })
  const nanos = layout === RFC3339_MICRO ? microseconds(reader) : anyFraction(reader)
  const offset = zone(reader)
  reader.end()
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (day < 1 || date.getUTCMonth() !== month - 1) reader.outOfRange('day')
  return { seconds: date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset, nanos }
}

/** The layout's `15` takes one digit too, unless a second one follows. */
function hours(reader: Reader): number {
  const found = reader.rest.match(/^\d{1,2}/)?.[0]
  if (found === undefined) reader.misfit('15')
  reader.rest = reader.rest.slice(found?.length ?? 0)
  const hour = Number(found)
  if (hour > 23) reader.outOfRange('hour')
  return hour
}

/** After the seconds, Go takes a fraction that the layout does not ask for. */
function anyFraction(reader: Reader): number {
  const found = reader.rest.match(/^[.,](\d+)/)
  if (found?.[1] === undefined) return 0
  reader.rest = reader.rest.slice(found[0].length)
  return Number(found[1].slice(0, 9).padEnd(9, '0'))
}

function microseconds(reader: Reader): number {
  const found = reader.rest.match(/^[.,](\d{6})/)
  if (found?.[1] === undefined) return reader.misfit('.000000')
  reader.rest = reader.rest.slice(7)
  return Number(found[1]) * 1000
}

/** Seconds east of Greenwich. */
function zone(reader: Reader): number {
  if (reader.rest.startsWith('Z')) {
    reader.rest = reader.rest.slice(1)
    return 0
  }
  const found = reader.rest.match(/^([+-])(\d\d):(\d\d)/)
  if (!found) return reader.misfit('Z07:00')
  const [whole, sign, hour, minute] = found
  if (Number(hour) > 24) reader.outOfRange('time zone offset hour')
  if (Number(minute) > 60) reader.outOfRange('time zone offset minute')
  reader.rest = reader.rest.slice(whole.length)
  const seconds = Number(hour) * 3600 + Number(minute) * 60
  return sign === '-' ? -seconds : seconds
}

const format = (seconds: number) => {
  const iso = new Date(seconds * 1000).toISOString()
  return `${iso.replace(/^\+0*(\d{4,})/, '$1').slice(0, -5)}Z`
}

/** Go's quoting of time texts: bytes outside printable ASCII as `\x..`. */
function quote(text: string): string {
  let out = '"'
  for (const c of text) {
    if (c === '"' || c === '\\') out += `\\${c}`
    else if (c >= ' ' && c < '\u007f') out += c
    else for (const byte of Buffer.from(c)) out += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `${out}"`
}

/** The zero time is written as null. */
export const isZeroTime = (canonical: string): boolean => canonical.startsWith('0001-01-01T00:00:00')

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Go's `time.ParseDuration`: nanoseconds. */
export function parseDuration(text: string): bigint {
  const invalid = () => new TimeError(`time: invalid duration ${quote(text)}`)
  const sign = text.startsWith('-') ? -1n : 1n
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0n
  if (rest === '') throw invalid()
  let total = 0n
  while (rest !== '') {
    const number = rest.match(/^(\d*)(?:\.(\d*))?/)
    const [whole = '', digits = '', fraction = ''] = number ?? []
    if (digits === '' && fraction === '') throw invalid()
    rest = rest.slice(whole.length)
    const unit = rest.match(/^[^.\d]+/)?.[0]
    if (unit === undefined) throw new TimeError(`time: missing unit in duration ${quote(text)}`)
    const scale = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
    if (scale === undefined) throw new TimeError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`)
    rest = rest.slice(unit.length)
    total += BigInt(digits || '0') * scale
    if (fraction !== '') total += (BigInt(fraction.slice(0, 18)) * scale) / 10n ** BigInt(Math.min(fraction.length, 18))
    if (total > (1n << 63n) - 1n) throw invalid()
  }
  return sign * total
}

/** Go's `Duration.String`: `1h0m0s`, `1.5s`, `250ms`. */
export function durationText(nanos: bigint): string {
  if (nanos === 0n) return '0s'
  const sign = nanos < 0n ? '-' : ''
  const abs = nanos < 0n ? -nanos : nanos
  if (abs < 1_000n) return `${sign}${abs}ns`
  if (abs < 1_000_000n) return `${sign}${decimal(abs, 1_000n)}µs`
  if (abs < 1_000_000_000n) return `${sign}${decimal(abs, 1_000_000n)}ms`
  const minutes = abs / 60_000_000_000n
  const seconds = `${decimal(abs % 60_000_000_000n, 1_000_000_000n)}s`
  if (minutes === 0n) return `${sign}${seconds}`
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`
}
