const UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }

/** Go's `time.ParseDuration`, in milliseconds; undefined when it is no duration. */
export function parseGoDuration(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (rest === '0') return 0
  if (rest === '' || !/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined
  let ns = 0
  for (const [, amount = '0', unit = ''] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    ns += Number(amount) * (UNITS_NS[unit] ?? 0)
  return (sign === '-' ? -ns : ns) / 1e6
}
