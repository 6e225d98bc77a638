/** Calls `fn` when the signal is aborted; at once when it already is. Disposing of the result takes `fn` off the signal. */
export function onAbort(signal: AbortSignal | undefined, fn: () => void): Disposable {
  if (signal?.aborted) fn()
  else signal?.addEventListener('abort', fn, { once: true })
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', fn) }
}
