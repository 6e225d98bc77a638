import { decimal, parseDuration as parseNanos } from '../../go/go-duration.ts'
import { TimeError } from '../../go/time-error.ts'
import type { Library } from '../environment.ts'
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts'
import { CelError, type Duration, type Timestamp } from '../values.ts'
import { member } from './declare.ts'
import { checkedDuration, checkedTimestamp } from './numbers.ts'

const SECOND = 1_000_000_000n

/** Go's `time.ParseDuration`, within the range of CEL. */
export function parseDuration(text: string): Duration {
  try {
    return checkedDuration(parseNanos(text))
  } catch (error) {
    if (error instanceof TimeError) throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'")
    throw error
  }
}

/** cel-go's format of durations: seconds with their fraction, `90s`, `0.001s`. */
export function formatDuration({ nanos }: Duration): string {
  // Go counts the seconds in a float64.
  const seconds = Number(nanos / SECOND) + Number(nanos % SECOND) / Number(SECOND)
  if (Math.abs(seconds) >= 1) return `${seconds}s`
  return nanos < 0n ? `-${decimal(-nanos, SECOND)}s` : `${decimal(nanos, SECOND)}s`
}

const TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/

/** RFC 3339. */
export function parseTimestamp(text: string): Timestamp {
  const m = TIME.exec(text)
  const failed = () => new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'")
  if (m === null) throw failed()
  const [, y, mo, d, h, mi, s] = m.map(Number) as [number, number, number, number, number, number, number]
  const ms = new Date(0).setUTCFullYear(y, mo - 1, d)
  const date = new Date(ms)
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d || h > 23 || mi > 59 || s > 59) throw failed()
  const offset = m[9] === undefined ? 0 : (m[9] === '-' ? -1 : 1) * (Number(m[10]) * 60 + Number(m[11]))
  const seconds = BigInt(Math.floor(ms / 1000)) + BigInt(h * 3600 + mi * 60 + s - offset * 60)
  return checkedTimestamp(seconds * SECOND + BigInt((m[7] ?? '').slice(0, 9).padEnd(9, '0')), offset)
}

/** RFC 3339 in the time's own zone, with as many decimals as needed. */
export function formatTimestamp({ nanos, offsetMinutes }: Timestamp): string {
  const fraction = ((nanos % SECOND) + SECOND) % SECOND
  const iso = dateOf(nanos + BigInt(offsetMinutes) * 60n * SECOND).toISOString()
  // The fraction of a second: `.5` of `0.5`, nothing of `0`.
  return `${iso.slice(iso.startsWith('+') ? 3 : 0, -5)}${decimal(fraction, SECOND).slice(1)}${zoneText(offsetMinutes)}`
}

function zoneText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) => String(n).padStart(2, '0'))
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}

/** The date in milliseconds, rounded down. */
const dateOf = (nanos: bigint) => new Date(Number(nanos >= 0n || nanos % 1_000_000n === 0n ? nanos / 1_000_000n : nanos / 1_000_000n - 1n))

/** The local date in a zone: `UTC`, `-08:00`, `America/Los_Angeles`, as a Date whose UTC parts are the local ones. */
function local(t: Timestamp, zone: string): Date {
  const date = dateOf(t.nanos)
  const m = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone)
  if (m !== null) return new Date(date.getTime() + (m[1] === '-' ? -1 : 1) * (Number(m[2]) * 60 + Number(m[3])) * 60_000)
  if (zone === 'UTC') return date
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(date)
    const n = (type: string) => Number(parts.find((p) => p.type === type)?.value)
    return new Date(Date.UTC(n('year'), n('month') - 1, n('day'), n('hour'), n('minute'), n('second'), date.getUTCMilliseconds()))
  } catch {
    throw new CelError(`unknown time zone ${zone}`)
  }
}

const part = (name: string, read: (d: Date) => number) => [
  member(`timestamp_to_${name}`, [TIMESTAMP], INT, (t: Timestamp) => BigInt(read(dateOf(t.nanos)))),
  member(`timestamp_to_${name}_with_tz`, [TIMESTAMP, STRING], INT, (t: Timestamp, zone: string) => BigInt(read(local(t, zone)))),
]

const whole = (name: string, unit: bigint) => member(`duration_to_${name}`, [DURATION], INT, (d: Duration) => d.nanos / unit)

const dayOfYear = (d: Date) =>
  Math.round((Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 1)) / 86_400_000)

/** The methods of timestamps and durations. */
export const TIME_FUNCTIONS: Library = {
  functions: {
    getFullYear: part('year', (d) => d.getUTCFullYear()),
    getMonth: part('month', (d) => d.getUTCMonth()),
    getDayOfYear: part('day_of_year', dayOfYear),
    getDayOfMonth: part('day_of_month', (d) => d.getUTCDate() - 1),
    getDate: part('day_of_month_1_based', (d) => d.getUTCDate()),
    getDayOfWeek: part('day_of_week', (d) => d.getUTCDay()),
    getHours: [...part('hours', (d) => d.getUTCHours()), whole('hours', 3_600_000_000_000n)],
    getMinutes: [...part('minutes', (d) => d.getUTCMinutes()), whole('minutes', 60_000_000_000n)],
    getSeconds: [...part('seconds', (d) => d.getUTCSeconds()), whole('seconds', SECOND)],
    getMilliseconds: [
      ...part('milliseconds', (d) => d.getUTCMilliseconds()),
      member('duration_to_milliseconds', [DURATION], INT, (d: Duration) => d.nanos / 1_000_000n),
    ],
  },
}
