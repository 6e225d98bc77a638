import { parseDuration } from '../../machinery/go/go-duration.ts'
import { TimeError } from '../../machinery/go/time-error.ts'

/** The minutes, hours, days, months and weekdays at which a schedule fires. */
export interface CronSchedule {
  readonly minute: ReadonlySet<number>
  readonly hour: ReadonlySet<number>
  readonly day: ReadonlySet<number>
  readonly month: ReadonlySet<number>
  readonly weekday: ReadonlySet<number>
  /** Day of the month or day of the week is `*`: then only the other counts; else either one suffices. */
  readonly anyDay: boolean
  readonly anyWeekday: boolean
  /** `TZ=` at the front of the text. */
  readonly timeZone?: string
  /** `@every 5m`: instead of the fields. */
  readonly everyMs?: number
}

/** An invalid schedule; the message is that of the library that Kubernetes uses. */
export class CronError extends Error {
  override readonly name = 'CronError'
  readonly code = 'syntax'
}

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Names in schedules, Sunday first. */
export const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MINUTE: Bounds = { min: 0, max: 59 }
const HOUR: Bounds = { min: 0, max: 23 }
const DAY: Bounds = { min: 1, max: 31 }
const MONTH: Bounds = { min: 1, max: 12, names: MONTHS }
const WEEKDAY: Bounds = { min: 0, max: 6, names: WEEKDAYS }

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Reads five fields, or a word such as `@daily`. Throws `CronError`. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new CronError('empty spec string')
  const zone = /^(?:CRON_)?TZ=(\S*) ?(.*)$/s.exec(text)
  const timeZone = zone?.[1]
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new CronError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`)
  const rest = zone ? (zone[2] ?? '').trim() : text
  const schedule = rest.startsWith('@') ? descriptor(rest) : fields(rest)
  return timeZone === undefined ? schedule : { ...schedule, timeZone }
}

function descriptor(text: string): CronSchedule {
  const known = Object.hasOwn(DESCRIPTORS, text) ? DESCRIPTORS[text] : undefined
  if (known !== undefined) return fields(known)
  if (!text.startsWith('@every ')) throw new CronError(`unrecognized descriptor: ${text}`)
  const span = text.slice('@every '.length)
  try {
    return { ...fields('* * * * *'), everyMs: Number(parseDuration(span)) / 1e6 }
  } catch (error) {
    if (error instanceof TimeError) throw new CronError(`failed to parse duration ${text}: ${error.message}`)
    throw error
  }
}

function fields(text: string): CronSchedule {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  if (parts.length !== 5) throw new CronError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts
  return {
    minute: field(minute, MINUTE),
    hour: field(hour, HOUR),
    day: field(day, DAY),
    month: field(month, MONTH),
    weekday: field(weekday, WEEKDAY),
    anyDay: isAny(day),
    anyWeekday: isAny(weekday),
  }
}

const isAny = (text: string) => text.split(',').some((part) => /^[*?](?:\/1)?$/.test(part))

function field(text: string, bounds: Bounds): ReadonlySet<number> {
  const values = new Set<number>()
  // Without duplicates: a list may contain the same part thousands of times.
  for (const part of new Set(text.split(','))) {
    if (part === '') continue
    const { start, end, step } = range(part, bounds)
    for (let value = start; value <= end; value += step) values.add(value)
  }
  return values
}

function range(text: string, bounds: Bounds): { start: number; end: number; step: number } {
  const [limits = '', ...steps] = text.split('/')
  const ends = limits.split('-')
  const any = ends[0] === '*' || ends[0] === '?'
  if (!any && ends.length > 2) throw new CronError(`too many hyphens: ${text}`)
  const start = any ? bounds.min : number(ends[0] ?? '', bounds)
  let end = any ? bounds.max : ends.length === 2 ? number(ends[1] ?? '', bounds) : start
  if (steps.length > 1) throw new CronError(`too many slashes: ${text}`)
  const step = steps.length === 1 ? whole(steps[0] ?? '') : 1
  if (steps.length === 1 && ends.length === 1) end = bounds.max
  if (start < bounds.min) throw new CronError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`)
  if (end > bounds.max) throw new CronError(`end of range (${end}) above maximum (${bounds.max}): ${text}`)
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`)
  return { start, end, step }
}

function number(text: string, bounds: Bounds): number {
  const named = bounds.names?.indexOf(text.toLowerCase()) ?? -1
  return named >= 0 ? named + bounds.min : whole(text)
}

function whole(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  const value = Number(text)
  if (value > Number.MAX_SAFE_INTEGER)
    throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`)
  if (value < 0) throw new CronError(`negative number (${value}) not allowed: ${text}`)
  return value
}

/** True for names of the IANA database. Unlike the platform's, Go's names are case sensitive and are no offsets. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return false
  // The platform ignores case in aliases: check the case of the area.
  if (!/^(?:US|[A-Z][a-z]+)\//.test(name) && name.includes('/')) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone.toLowerCase() !== name.toLowerCase() || timeZone === name
  } catch {
    return false
  }
}
