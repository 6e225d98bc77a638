import { afterCallback } from './turns.ts'

/**
 * Joins the calls of one turn of the event loop: one call is made for all of them when the running callback ends, so that it sees whatever
 * any of them has seen before.
 */
export function joinedCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let joined: Promise<T> | undefined
  return () => {
    joined ??= new Promise((resolve, reject) => {
      afterCallback(() => {
        joined = undefined
        call().then(resolve, reject)
      })
    })
    return joined
  }
}
