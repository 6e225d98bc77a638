const UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }

/** Go's `time.ParseDuration`, in milliseconds; undefined when it is no duration. */
export function parseGoDuration(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (rest === '0') return 0
  if (rest === '' || !/^((\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/.test(rest)) return undefined
  let ns = 0
  for (const [, amount = '0', unit = ''] of rest.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g))
    ns += Number(amount) * (UNITS_NS[unit] ?? 0)
  return (sign === '-' ? -ns : ns) / 1e6
}

/** Go's `Duration.String`: `1h0m0s`, `1.5s`, `100ms`. */
export function showGoDuration(ms: number): string {
  if (ms === 0) return '0s'
  const sign = ms < 0 ? '-' : ''
  const ns = Math.abs(Math.round(ms * 1e6))
  if (ns < 1e3) return `${sign}${ns}ns`
  if (ns < 1e6) return `${sign}${ns / 1e3}µs`
  if (ns < 1e9) return `${sign}${ns / 1e6}ms`
  const seconds = Number(((ns % 6e10) / 1e9).toFixed(9))
  const minutes = Math.floor(ns / 6e10)
  if (minutes === 0) return `${sign}${seconds}s`
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${sign}${minutes}m${seconds}s` : `${sign}${hours}h${minutes % 60}m${seconds}s`
}
