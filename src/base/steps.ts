import { giveTurn } from './turns.ts'

/** Work that says where it may be interrupted: it yields there; a promise, where it has to wait for others. */
export type Steps<T> = Generator<void | Promise<void>, T, void>

/** Does all of it now. @throws {Error} where it would have to wait for others */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value !== undefined) throw new Error('this work has to wait for others: it cannot be done at once')
  }
}

/** Does it now, as far as it need not wait for others. */
export function promptly<T>(steps: Steps<T>): T | Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value !== undefined) return step.value.then(() => promptly(steps))
  }
}

/** Does it with a turn of the event loop for others wherever it may be interrupted. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await (step.value ?? giveTurn())
  }
}

/** What may come from others later, as a step: work goes on with it when it is there. */
export function* arrival<T>(given: T | Promise<T>): Steps<T> {
  if (!(given instanceof Promise)) return given
  const seen: { result?: { readonly value: T } | { readonly error: unknown } } = {}
  yield given.then(
    (value) => {
      seen.result = { value }
    },
    (error: unknown) => {
      seen.result = { error }
    },
  )
  if (seen.result === undefined) throw new Error('whoever takes steps waits where they say so')
  if ('error' in seen.result) throw seen.result.error
  return seen.result.value
}
