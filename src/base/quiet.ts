import type { EventEmitter } from 'node:events'
import { debuglog } from 'node:util'

const debug = debuglog('bowsprit-quiet')

/**
 * Ignores the failure of a promise, for the given reason. `NODE_DEBUG=bowsprit-quiet` prints each.
 *
 * ```ts
 * await quiet(socket.send(farewell), 'the client may have gone already')
 * ```
 */
export const quiet = <T>(promise: Promise<T>, why: string): Promise<T | undefined> =>
  promise.catch((error: unknown) => {
    debug('%s: %s', why, error)
    return undefined
  })

/**
 * Ignores the errors that an emitter reports, for the given reason: an `error` event without a listener ends the process.
 * `NODE_DEBUG=bowsprit-quiet` prints each.
 */
export function quietErrors<T extends EventEmitter>(emitter: T, why: string): T {
  emitter.on('error', (error: unknown) => debug('%s: %s', why, error))
  return emitter
}
