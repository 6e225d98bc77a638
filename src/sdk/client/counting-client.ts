import type { Clock } from '../../base/clock.ts'
import { METHOD } from '../../machinery/api-call.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Client } from './client.ts'

/** Counts one call; `code` is that of the response, or `<error>` without one. */
export type CallCounter = (method: string, code: string, seconds: number) => void

/** A client that counts its calls by the code of the response, as client-go does. A watch is counted when it begins, and takes no time. */
export function countingClient(client: Client, count: CallCounter, clock: Pick<Clock, 'monotonic'>): Client {
  const counted = async <T>(verb: keyof typeof METHOD, call: Promise<T>): Promise<T> => {
    const begun = clock.monotonic()
    const ended = (code: string) => count(METHOD[verb], code, (clock.monotonic() - begun) / 1000)
    try {
      const answer = await call
      ended(verb === 'create' ? '201' : '200')
      return answer
    } catch (error) {
      ended(error instanceof StatusError ? String(error.code) : '<error>')
      throw error
    }
  }
  return {
    ...client,
    get: (target, options) => counted('get', client.get(target, options)),
    list: (target, options) => counted('list', client.list(target, options)),
    async *watch(target, options) {
      count('GET', '200', 0)
      yield* client.watch(target, options)
    },
    create: (target, object, options) => counted('create', client.create(target, object, options)),
    update: (target, object, options) => counted('update', client.update(target, object, options)),
    patch: (target, type, patch, options) => counted('patch', client.patch(target, type, patch, options)),
    delete: (target, options) => counted('delete', client.delete(target, options)),
    deleteCollection: (target, options) => counted('deletecollection', client.deleteCollection(target, options)),
  }
}
