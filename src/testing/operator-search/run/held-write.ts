import { callText } from '../../operator-trial/operator-calls.ts'
import type { OperatorCall } from '../history.ts'
import type { SeamRules } from './operator-seam.ts'
import type { SearchWorld } from './search-world.ts'

/** A write of the operator that waits. */
export interface HeldWrite {
  /** For `SearchWorld.aroundWrite`. */
  readonly around: NonNullable<SeamRules['aroundWrite']>
  /** Lets it pass. One that has not come yet will not wait. */
  release(): void
}

/** Holds back the first write for which this is true. */
export function holdWrite(world: SearchWorld, isIt: (call: OperatorCall) => boolean): HeldWrite {
  const released = Promise.withResolvers<void>()
  let isOver = false
  return {
    async around(call, when) {
      if (isOver || when !== 'before' || !isIt(call)) return
      isOver = true
      world.mark(`its write waits: ${callText(call)}`)
      world.heldWrites++
      await released.promise
      world.heldWrites--
    },
    release() {
      isOver = true
      released.resolve()
    },
  }
}
