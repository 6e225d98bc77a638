import { type Clock, VirtualClock } from '../../base/clock.ts'

/** Nothing goes back in time when it begins anew: a virtual clock that is behind is set on. The machine's clock is what it is. */
export async function catchUp(clock: Clock | undefined, nowMs: number): Promise<void> {
  if (clock instanceof VirtualClock && clock.now() < nowMs) await clock.advance(nowMs - clock.now())
}
