import { humanDuration } from '../../../machinery/human-duration.ts'
import { nowMs } from './connection.ts'

/** The age of a time, as kubectl writes it; counted on while it is shown. */
export const ageOf = (timeMs: number): string => (timeMs === 0 ? '' : humanDuration(Math.max(0, nowMs.value - timeMs)))
