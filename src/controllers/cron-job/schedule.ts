import { timestamp } from '../../base/clock.ts'
import { parseCronSchedule, WEEKDAYS } from '../../resources/batch/cron-schedule.ts'

/** When a CronJob is due, to the minute. */
export interface Schedule {
  /** The first time after this one; undefined when there is none in the next five years. */
  next(afterMs: number): number | undefined
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const SECOND = 1000
/** From any time of this day, a day later is still the same month. */
const LAST_SAFE_DAY = 27
/** From any time of this hour, an hour of a zone's shift later is still the same day. */
const LAST_SAFE_HOUR = 22

/**
 * When a CronJob's schedule fires in a time zone; the text's own `TZ=` wins. What the API accepts is what runs: the text is read by the
 * same parser.
 * @throws {CronError} for a text that cannot be read
 */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const fires = parseCronSchedule(text)
  if (fires.everyMs !== undefined) {
    const span = Math.max(SECOND, fires.everyMs)
    return { next: (after) => Math.floor(after / SECOND) * SECOND + span }
  }
  const zone = zoneReader(fires.timeZone ?? timeZone)
  // Both day fields restricted: either may match.
  const dayMatches = (day: number, weekday: number) =>
    fires.anyDay || fires.anyWeekday ? fires.day.has(day) && fires.weekday.has(weekday) : fires.day.has(day) || fires.weekday.has(weekday)
  return {
    next(afterMs) {
      let t = Math.floor(afterMs / MINUTE) * MINUTE + MINUTE
      const end = t + 5 * 366 * 24 * 60 * MINUTE
      while (t < end) {
        const { month, day, weekday, hour, minute } = zone(t)
        // A leap ends before the day or month does: the zone's offset may change on the way.
        if (!fires.month.has(month) && day < LAST_SAFE_DAY) t += (LAST_SAFE_DAY - day) * DAY
        else if (!fires.month.has(month) || !dayMatches(day, weekday))
          t += hour < LAST_SAFE_HOUR ? (LAST_SAFE_HOUR - hour) * HOUR : (60 - minute) * MINUTE
        else if (!fires.hour.has(hour)) t += (60 - minute) * MINUTE
        else if (!fires.minute.has(minute)) t += MINUTE
        else return t
      }
      return undefined
    },
  }
}

/** RFC 3339 with the offset that the time zone has then: `2026-01-01T09:00:00+09:00`. */
export function zonedTimestamp(ms: number, timeZone: string): string {
  const named = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms)
  const offset = /GMT([+-])(\d\d):(\d\d)/.exec(named.find((p) => p.type === 'timeZoneName')?.value ?? '')
  const [, sign = '+', hours = '00', minutes = '00'] = offset ?? []
  if (hours === '00' && minutes === '00') return timestamp(ms)
  const shiftMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE
  return `${timestamp(ms + shiftMs).slice(0, -1)}${sign}${hours}:${minutes}`
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
    const weekday = WEEKDAYS.indexOf((parts.get('weekday') ?? '').toLowerCase())
    return { month: number('month'), day: number('day'), weekday, hour: number('hour'), minute: number('minute') }
  }
}
