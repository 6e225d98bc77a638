/**
 * Go's `time.Parse` for the two layouts that Kubernetes' timestamps use, with Go's error texts, and the canonical form in which they are
 * written.
 */

import { memo } from '../../base/collections/memo.ts'
import { quoteTime, TimeError } from '../go/time-error.ts'

const RFC3339 = '2006-01-02T15:04:05Z07:00'
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00'

/** `meta/v1 Time`: any zone and any fraction in, UTC and whole seconds out. */
export function canonicalTime(text: string): string {
  if (text.length === 20 && isPlainSecond(text)) return text
  const { seconds } = parse(text, RFC3339)
  return format(seconds)
}

/** Recent times are kept: objects often contain times of a moment ago. */
const isPlainSecond = memo((text) => PLAIN.test(text) && isDayOfMonth(text), { most: 256, keeps: (_, isPlain) => isPlain })

/** `Date` makes a day that the month does not have one of the next month. */
const isDayOfMonth = (text: string) => new Date(text).getUTCDate() === Number(text.slice(8, 10))

/** `meta/v1 MicroTime`: six digits of fraction in and out. */
export function canonicalMicroTime(text: string): string {
  if (text.length === 27 && PLAIN_MICROS.test(text) && isPlainSecond(`${text.slice(0, 19)}Z`)) return text
  const { seconds, nanos } = parse(text, RFC3339_MICRO)
  return `${format(seconds).slice(0, -1)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

/** Canonical timestamps, but for days that their month does not have. */
const PLAIN = /^(?!0001-01-01T00:00:00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

const PLAIN_MICROS = /\.\d{6}Z$/

interface Instant {
  /** Since 1970. */
  readonly seconds: number
  readonly nanos: number
}

/** The rest of the text, and the next element of its layout: Go's errors contain both. */
class TimeReader {
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
    const text = quoteTime(this.text)
    const rest = this.rest === this.text ? text : quoteTime(this.rest)
    throw new TimeError(`parsing time ${text} as ${quoteTime(this.layout)}: cannot parse ${rest} as ${quoteTime(element)}`)
  }

  outOfRange(name: string): never {
    throw new TimeError(`parsing time ${quoteTime(this.text)}: ${name} out of range`)
  }

  end() {
    if (this.rest !== '') throw new TimeError(`parsing time ${quoteTime(this.text)}: extra text: ${quoteTime(this.rest)}`)
  }
}

function parse(text: string, layout: string): Instant {
  const reader = new TimeReader(text, layout)
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

/** The layout's `15` matches one digit, too, unless a second one follows. */
function hours(reader: TimeReader): number {
  const found = reader.rest.match(/^\d{1,2}/)?.[0]
  if (found === undefined) reader.misfit('15')
  reader.rest = reader.rest.slice(found?.length ?? 0)
  const hour = Number(found)
  if (hour > 23) reader.outOfRange('hour')
  return hour
}

/** After the seconds, Go accepts a fraction that the layout does not contain. */
function anyFraction(reader: TimeReader): number {
  const found = reader.rest.match(/^[.,](\d+)/)
  if (found?.[1] === undefined) return 0
  reader.rest = reader.rest.slice(found[0].length)
  return Number(found[1].slice(0, 9).padEnd(9, '0'))
}

function microseconds(reader: TimeReader): number {
  const found = reader.rest.match(/^[.,](\d{6})/)
  if (found?.[1] === undefined) return reader.misfit('.000000')
  reader.rest = reader.rest.slice(7)
  return Number(found[1]) * 1000
}

/** Seconds east of Greenwich. */
function zone(reader: TimeReader): number {
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

/** True for the zero time, which is written as null. */
export const isZeroTime = (canonical: string): boolean => canonical.startsWith('0001-01-01T00:00:00')
