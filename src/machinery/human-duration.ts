/** The longest duration that Go has, some 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6

/** A duration as tables show ages: two units while it is short, one later (`5m3s`, `26h`, `324d`, `3y12d`). */
export function humanDuration(spanMs: number): string {
  const seconds = Math.trunc(Math.min(spanMs, LONGEST_MS) / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 24 * 8) return pair(days, 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  if (hours < 24 * 365 * 8) return pair(years, 'y', days % 365, 'd')
  return `${years}y`
}

const pair = (a: number, unitA: string, b: number, unitB: string) => (b === 0 ? `${a}${unitA}` : `${a}${unitA}${b}${unitB}`)

/** The age of a timestamp as a cell; `<unknown>` if there is none. */
export function age(timestamp: string | null | undefined, now: number): string {
  if (!timestamp) return '<unknown>'
  const at = Date.parse(timestamp)
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at)
}
