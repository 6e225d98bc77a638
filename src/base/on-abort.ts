import { afterCallback } from './turns.ts'

/**
 * Of each signal. An `AbortSignal` looks through all its listeners whenever one is added or removed, and thousands of things live under the
 * same one: it gets a single listener here.
 */
const listeners = new WeakMap<AbortSignal, AbortListeners>()

class AbortListeners {
  readonly #signal: AbortSignal
  readonly #fns = new Set<() => void>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(fn: () => void): void {
    if (this.#fns.size === 0) this.#signal.addEventListener('abort', this.#abort, { once: true })
    this.#fns.add(fn)
  }

  /** A signal that depends on others is kept alive by its listener. */
  delete(fn: () => void): void {
    if (this.#fns.delete(fn) && this.#fns.size === 0) this.#signal.removeEventListener('abort', this.#abort)
  }

  /** As an `AbortSignal` does, calls all even when one throws: its error is uncaught. */
  readonly #abort = (): void => {
    for (const fn of this.#fns) {
      this.#fns.delete(fn)
      try {
        fn()
      } catch (error) {
        afterCallback(() => {
          throw error
        })
      }
    }
  }
}

/** Calls `fn` once when the signal is aborted; at once when it already is. Disposing of the result takes `fn` off the signal. */
export function onAbort(signal: AbortSignal | undefined, fn: () => void): Disposable {
  if (signal?.aborted) fn()
  else if (signal !== undefined) listenersOf(signal).add(fn)
  return { [Symbol.dispose]: () => offAbort(signal, fn) }
}

/** Takes `fn` off the signal. */
export function offAbort(signal: AbortSignal | undefined, fn: () => void): void {
  if (signal !== undefined) listeners.get(signal)?.delete(fn)
}

function listenersOf(signal: AbortSignal): AbortListeners {
  const known = listeners.get(signal)
  if (known !== undefined) return known
  const made = new AbortListeners(signal)
  listeners.set(signal, made)
  return made
}

/** Resolves when the signal is aborted. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    onAbort(signal, resolve)
  })

/** The promise's value, or the signal's reason if it is aborted first. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  using _ = onAbort(signal, () => aborted.reject(signal?.reason))
  return await Promise.race([aborted.promise, promise])
}
