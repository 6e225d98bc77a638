/**
 * Loaded with `--import` into a process that is measured: writes each turn of its event loop that took more than `TURN_MS` (8) of its
 * thread's own processor time to `TURN_FILE`, as a line `BEGIN END CPU` (microseconds of the monotonic clock, milliseconds). Other
 * processes do not count.
 */
import { appendFileSync } from 'node:fs'

const file = process.env.TURN_FILE ?? ''
const least = Number(process.env.TURN_MS ?? 8) * 1000
const worked = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
const clock = () => Number(process.hrtime.bigint() / 1000n)
let wall = clock()
let cpu = worked()

function look(): void {
  const [now, used] = [clock(), worked() - cpu]
  if (used > least) appendFileSync(file, `${wall} ${now} ${(used / 1000).toFixed(1)}\n`)
  wall = clock()
  cpu = worked()
  setTimeout(look, 1).unref()
}
look()
