import type { VirtualClock } from '../../base/clock.ts'

/** Advances a virtual clock for a runtime that simulates its containers. */
export const passingTime = (clock: VirtualClock) => ({
  async until(what: () => Promise<boolean>): Promise<void> {
    for (let i = 0; i < 100 && !(await what()); i++) await clock.advance(50)
    if (!(await what())) throw new Error('it did not come')
  },
  async settle<T>(promise: Promise<T>): Promise<T> {
    let open = true
    const done = () => {
      open = false
    }
    promise.then(done, done)
    for (let i = 0; i < 100 && open; i++) await clock.advance(50)
    return promise
  },
})
