import type { Exchange } from '../exchange.ts'

const waiting = new WeakMap<Exchange, { wake: () => void }>()

/** Resolves when the client has read the written bytes, or has gone. Several calls share one listener. */
export function drained(exchange: Exchange): Promise<void> {
  const known = waiting.get(exchange)
  const place = known ?? { wake: () => {} }
  const done = new Promise<void>((resolve) => {
    const before = place.wake
    place.wake = () => {
      before()
      resolve()
    }
  })
  if (known === undefined) {
    waiting.set(exchange, place)
    const wake = () => {
      const { wake: now } = place
      place.wake = () => {}
      now()
    }
    exchange.onDrain(wake)
    exchange.onClose(wake)
  } else if (exchange.gone) place.wake()
  return done
}
