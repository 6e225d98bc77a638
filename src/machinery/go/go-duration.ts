import { withoutTrailing } from '../../base/without-trailing.ts'
import { quoteTime, TimeError } from './time-error.ts'

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

/** More seconds do not fit into the 64 bits of nanoseconds of Go's `time.Duration`: some 292 years. */
const MOST_SECONDS = 9_223_372_036

/**
 * The milliseconds of an API's field in seconds, as `time.Duration(seconds) * time.Second` has them in Go: beyond some 292 years they
 * wrap. A field of 64 bits is a `bigint` where a double would not hold it.
 */
export function millisecondsOf(seconds: number | bigint): number {
  if (typeof seconds === 'number' && Math.abs(seconds) <= MOST_SECONDS) return seconds * 1000
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)) / 1e6
}

/** Go's `time.ParseDuration`: nanoseconds. @throws {TimeError} with Go's message */
export function parseDuration(text: string): bigint {
  const invalid = () => new TimeError(`time: invalid duration ${quoteTime(text)}`)
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
    if (unit === undefined) throw new TimeError(`time: missing unit in duration ${quoteTime(text)}`)
    const scale = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
    if (scale === undefined) throw new TimeError(`time: unknown unit ${quoteTime(unit)} in duration ${quoteTime(text)}`)
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

/** A value in a larger unit, a power of ten, without trailing zeros: `1.5`. */
export function decimal(value: bigint, unit: bigint): string {
  const fraction = withoutTrailing(String(value % unit).padStart(String(unit).length - 1, '0'), '0')
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`
}

/** The duration in milliseconds; undefined if the text is invalid. */
export function parseGoDuration(text: string): number | undefined {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    if (error instanceof TimeError) return undefined
    throw error
  }
}

/** Formats milliseconds as Go does. */
export const showGoDuration = (ms: number): string => durationText(BigInt(Math.round(ms * 1e6)))
