import type { Duplex } from 'node:stream'

/** Connects two streams: what one sends the other receives, and both end together. */
export function joinStreams(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}
