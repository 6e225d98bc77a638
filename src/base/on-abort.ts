/** Calls `fn` when the signal is aborted; at once when it already is. Disposing of the result takes `fn` off the signal. */
export function onAbort(signal: AbortSignal | undefined, fn: () => void): Disposable {
  if (signal?.aborted) fn()
  else signal?.addEventListener('abort', fn, { once: true })
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', fn) }
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
