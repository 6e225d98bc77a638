import { type Clock, keepAlive, systemClock, VirtualClock } from '../base/clock.ts'
import { quiet } from '../base/quiet.ts'

/** How long, and on which clock, something is waited for. */
export interface WaitForOptions {
  /** Time in which it has to come, in milliseconds of `clock`. Default 30,000. */
  readonly timeoutMs?: number
  /** The pause between two looks, in milliseconds of `clock`. Default 20. */
  readonly everyMs?: number
  /** A `VirtualClock` is advanced while we wait, so that waiting takes no real time. Default: the machine's. */
  readonly clock?: Clock
  /** What is waited for, for the message: `the pod runs`. Default `it`. */
  readonly what?: string
}

/**
 * Looks again and again until there is something to see: resolves with the first value that is neither undefined, null nor false. A look
 * that throws has seen nothing yet.
 *
 * ```ts
 * const pod = await waitFor(async () => {
 *   const found = await client.get({ ...refs.PODS, namespace: 'default', name: 'web' })
 *   return found.status?.phase === 'Running' && found
 * })
 * ```
 * @throws {Error} when the time is over; its cause is what the last look threw
 */
export async function waitFor<T>(
  look: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 20, clock = systemClock, what = 'it' }: WaitForOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const endMs = clock.monotonic() + timeoutMs
  let cause: unknown
  for (;;) {
    try {
      cause = undefined
      const found = await (clock instanceof VirtualClock ? withTime(clock, look, endMs, everyMs) : look())
      if (found !== undefined && found !== null && found !== false) return found as Exclude<T, undefined | null | false>
    } catch (error) {
      cause = error
    }
    if (clock.monotonic() >= endMs) throw new Error(`${what} did not come within ${timeoutMs} ms`, { cause })
    if (clock instanceof VirtualClock) await clock.advance(everyMs)
    else await awake(clock, everyMs)
  }
}

/** `look` may itself need time to pass: for example a request that waits for something. */
async function withTime<T>(clock: VirtualClock, look: () => T | Promise<T>, endMs: number, everyMs: number): Promise<T> {
  let over = false
  const looked = Promise.resolve(look()).finally(() => {
    over = true
  })
  void quiet(looked, 'it is awaited below')
  await clock.settle()
  while (!over && clock.monotonic() < endMs) await clock.advance(everyMs)
  if (!over) throw new Error('the last look has not ended')
  return looked
}

/** Timers of the clock do not keep the process alive; a test that waits has to. */
async function awake(clock: Clock, ms: number): Promise<void> {
  const done = keepAlive()
  await clock.sleep(ms).finally(done)
}
