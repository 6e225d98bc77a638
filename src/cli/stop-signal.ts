import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves at the first SIGINT, SIGTERM or SIGHUP. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve(name))
  })
}

/** How long a start may go on after a signal: a server that has started ends in order. */
const STARTING_MS = 5000

/**
 * Waits until it has started.
 * @throws {Error} if it has not, five seconds after the signal to stop: it may wait for a storage that never responds
 */
export function started<T>(starting: Promise<T>, stop: Promise<string>, patienceMs = STARTING_MS): Promise<T> {
  const givenUp = stop.then(async () => {
    await sleep(patienceMs, undefined, { ref: false })
    throw new Error('stopped while it was starting')
  })
  return Promise.race([starting, givenUp])
}
