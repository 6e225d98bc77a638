import { isWrite, type TrialCall } from './program/trial-call.ts'

/** All numbers up to `count`, or so many of them, spread evenly, the first and the last among them. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i + 1)
  if (most <= 1) return most === 1 ? [1] : []
  return [...new Set(Array.from({ length: most }, (_, i) => 1 + Math.round((i * (count - 1)) / (most - 1))))]
}

/**
 * After which of its requests a run should be killed: one number for each point that differs from the others in the writes before it and in
 * the last request; at most so many of them.
 */
export function requestKillPoints(calls: readonly TrialCall[], most: number): number[] {
  let writes = 0
  const seen = new Set<string>()
  const points = calls.flatMap((call, i) => {
    if (isWrite(call)) writes++
    const point = `${writes} ${call.verb} ${call.path}`
    if (seen.has(point)) return []
    seen.add(point)
    return [i + 1]
  })
  return spread(points.length, most).flatMap((n) => points[n - 1] ?? [])
}
