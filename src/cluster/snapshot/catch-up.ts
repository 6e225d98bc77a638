import { type Clock, VirtualClock } from '../../base/clock.ts'

/** Prevents that time goes back in a restored cluster: a virtual clock that is behind is advanced. The machine's clock is left alone. */
export async function catchUp(clock: Clock | undefined, nowMs: number): Promise<void> {
  if (clock instanceof VirtualClock && clock.now() < nowMs) await clock.advance(nowMs - clock.now())
}
