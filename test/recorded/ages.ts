import { humanDuration } from '../../src/machinery/human-duration.ts'

const DAY_MS = 86_400_000
/** The ages were printed on this day. */
const RECORDED = Date.parse('2026-11-23T00:00:00Z')

/** The text of a recording with the ages of its objects of January 2026 as they are printed today. */
export function withAgesOfToday(recording: string, now = Date.now()): string {
  const daysSince = Math.floor((now - RECORDED) / DAY_MS)
  return recording.replaceAll(/\b(325|326)d\b/g, (_, days: string) => humanDuration((Number(days) + daysSince) * DAY_MS))
}
