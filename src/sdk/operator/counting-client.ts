import { METHOD } from '../../machinery/api-call.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Client } from '../client/client.ts'
import type { OperatorMetrics } from './operator-metrics.ts'

/** A client that counts its calls by the code of the response, as client-go does. */
export function countingClient(client: Client, metrics: OperatorMetrics, host: string): Client {
  const counted = async <T>(verb: keyof typeof METHOD, call: Promise<T>): Promise<T> => {
    try {
      const answer = await call
      metrics.called(METHOD[verb], verb === 'create' ? '201' : '200', host)
      return answer
    } catch (error) {
      metrics.called(METHOD[verb], error instanceof StatusError ? String(error.code) : '<error>', host)
      throw error
    }
  }
  return {
    ...client,
    get: (target, options) => counted('get', client.get(target, options)),
    list: (target, options) => counted('list', client.list(target, options)),
    async *watch(target, options) {
      metrics.called('GET', '200', host)
      yield* client.watch(target, options)
    },
    create: (target, object, options) => counted('create', client.create(target, object, options)),
    update: (target, object, options) => counted('update', client.update(target, object, options)),
    patch: (target, type, patch, options) => counted('patch', client.patch(target, type, patch, options)),
    delete: (target, options) => counted('delete', client.delete(target, options)),
    deleteCollection: (target, options) => counted('deletecollection', client.deleteCollection(target, options)),
  }
}
