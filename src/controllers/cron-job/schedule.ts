/** When a CronJob is due, to the minute. */
export interface Schedule {
  /** The first time after this one; undefined when there is none in the next five years. */
  next(afterMs: number): number | undefined
}

const FIELDS: readonly (readonly [min: number, max: number, names: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']],
  [0, 6, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']],
]

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const MINUTE = 60_000

/**
 * Reads a cron expression (five fields, names, steps, `@daily`, `@every 1h30m`) in a time zone.
 * @throws {Error} that says which field is wrong
 */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const every = /^@every\s+(.+)$/.exec(text.trim())
  if (every !== null) {
    const span = Math.max(1000, durationMs(every[1] ?? ''))
    return { next: (after) => Math.floor(after / 1000) * 1000 + span }
  }
  const parts = (MACROS[text.trim()] ?? text).trim().split(/\s+/)
  if (parts.length !== 5) throw new Error(`expected exactly 5 fields, found ${parts.length}: [${text}]`)
  const sets = parts.map((part, i) => parseField(part, i))
  const [minutes, hours, days, months, weekdays] = sets as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>]
  const anyDay = parts[2]?.startsWith('*') || parts[2]?.startsWith('?')
  const anyWeekday = parts[4]?.startsWith('*') || parts[4]?.startsWith('?')
  const zone = zoneReader(timeZone)
  // Both day fields restricted: either may match.
  const dayMatches = (day: number, weekday: number) =>
    anyDay || anyWeekday ? days.has(day) && weekdays.has(weekday) : days.has(day) || weekdays.has(weekday)
  return {
    next(afterMs) {
      let t = Math.floor(afterMs / MINUTE) * MINUTE + MINUTE
      const end = t + 5 * 366 * 24 * 60 * MINUTE
      while (t < end) {
        const { month, day, weekday, hour, minute } = zone(t)
        // A step never leaps over the next hour, so that no change of the zone's offset is missed.
        if (!months.has(month) || !dayMatches(day, weekday) || !hours.has(hour)) t += (60 - minute) * MINUTE
        else if (!minutes.has(minute)) t += MINUTE
        else return t
      }
      return undefined
    },
  }
}

function parseField(text: string, index: number): Set<number> {
  const [min, max, names] = FIELDS[index] ?? [0, 0, []]
  const numberOf = (word: string) => {
    const named = names.indexOf(word.toLowerCase())
    const n = named > -1 && word !== '' ? named : /^\d+$/.test(word) ? Number(word) : Number.NaN
    if (Number.isNaN(n)) throw new Error(`failed to parse int from ${word}`)
    return n
  }
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [range = '', stepText, ...more] = part.split('/')
    if (more.length > 0) throw new Error(`too many slashes: ${part}`)
    const step = stepText === undefined ? 1 : numberOf(stepText)
    if (step === 0) throw new Error(`step of range should be a positive number: ${part}`)
    let [low, high] = [min, max]
    if (range !== '*' && range !== '?') {
      const [first = '', last, ...rest] = range.split('-')
      if (rest.length > 0) throw new Error(`too many hyphens: ${part}`)
      low = numberOf(first)
      high = last === undefined ? (stepText === undefined ? low : max) : numberOf(last)
    }
    if (low < min) throw new Error(`beginning of range (${low}) below minimum (${min}): ${part}`)
    if (high > max) throw new Error(`end of range (${high}) above maximum (${max}): ${part}`)
    if (low > high) throw new Error(`beginning of range (${low}) beyond end of range (${high}): ${part}`)
    for (let n = low; n <= high; n += step) values.add(n)
  }
  return values
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

function durationMs(text: string): number {
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) ms += Number(amount) * (UNITS[unit ?? ''] ?? 0)
  if (ms === 0) throw new Error(`failed to parse duration ${text}`)
  return ms
}

interface WallTime {
  readonly month: number
  readonly day: number
  readonly weekday: number
  readonly hour: number
  readonly minute: number
}

/** What the clock on the wall shows in a time zone. */
function zoneReader(timeZone: string): (ms: number) => WallTime {
  if (timeZone === 'UTC' || timeZone === 'Etc/UTC')
    return (ms) => {
      const d = new Date(ms)
      return { month: d.getUTCMonth() + 1, day: d.getUTCDate(), weekday: d.getUTCDay(), hour: d.getUTCHours(), minute: d.getUTCMinutes() }
    }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    month: 'numeric',
    day: 'numeric',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map((p) => [p.type, p.value]))
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
    const weekday = (FIELDS[4]?.[2] ?? []).indexOf((parts.get('weekday') ?? '').toLowerCase())
    return { month: number('month'), day: number('day'), weekday, hour: number('hour'), minute: number('minute') }
  }
}
