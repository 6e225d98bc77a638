import type { Later } from '../base/steps.ts'
import type { Change, Watcher } from './store.ts'

/** Shows the changes of another watcher in another form, one batch after the other. */
export function mappedWatcher(below: Watcher, map: (changes: readonly Change[]) => Later<readonly Change[]>): Watcher {
  return {
    changes: {
      [Symbol.asyncIterator]() {
        const iterator = below.changes[Symbol.asyncIterator]()
        return {
          async next() {
            const { value, done } = await iterator.next()
            return done === true ? { done, value: undefined } : { done: false, value: await map(value) }
          },
          async return() {
            await iterator.return?.()
            return { done: true, value: undefined }
          },
        }
      },
    },
    get reached() {
      return below.reached
    },
    async [Symbol.asyncDispose]() {
      await below[Symbol.asyncDispose]()
    },
  }
}
