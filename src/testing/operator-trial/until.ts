import { systemClock } from '../../base/clock.ts'

/** True when it became so in time. */
export async function until(holds: () => Promise<boolean> | boolean, patienceMs: number): Promise<boolean> {
  const endMs = systemClock.monotonic() + patienceMs
  for (;;) {
    if (await holds()) return true
    if (systemClock.monotonic() >= endMs) return false
    await systemClock.sleep(25)
  }
}
