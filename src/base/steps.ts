import { giveTurn } from './turns.ts'

/** Work that says where it may be interrupted: it yields there. */
export type Steps<T> = Generator<void, T, void>

/** Does all of it now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does it with a turn of the event loop for others wherever it may be interrupted. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await giveTurn()
  }
}
