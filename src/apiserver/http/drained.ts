import type { Exchange } from './exchange.ts'

/** Resolves when the client has taken what was written, or went away. */
export function drained(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    exchange.onDrain(resolve)
    exchange.onClose(resolve)
  })
}
