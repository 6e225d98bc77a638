import type { Client } from '../client/client.ts'

/**
 * A client whose calls end with the signal, and which makes no calls afterwards. Once `isOver`, its calls never settle: a promise that a
 * reconciler left running stops there, and does not end the process by an unhandled rejection.
 */
export function boundClient(client: Client, bound: AbortSignal, isOver: () => boolean): Client {
  const heard = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      if (isOver()) return new Promise(() => {})
      throw error
    }
  }
  /** Options with a signal that is aborted with either. */
  const within = <O extends { readonly signal?: AbortSignal }>(options: O | undefined): O & { readonly signal: AbortSignal } => {
    bound.throwIfAborted()
    const own = options?.signal
    const signal = own === undefined || own === bound ? bound : AbortSignal.any([own, bound])
    // Only the signal differs.
    return { ...options, signal } as O & { readonly signal: AbortSignal }
  }
  return {
    ...client,
    page: (path, options) => heard(() => client.page(path, within(options))),
    get: (target, options) => heard(() => client.get(target, within(options))),
    list: (target, options) => heard(() => client.list(target, within(options))),
    watch: (target, options) => client.watch(target, within(options)),
    create: (target, object, options) => heard(() => client.create(target, object, within(options))),
    update: (target, object, options) => heard(() => client.update(target, object, within(options))),
    patch: (target, type, patch, options) => heard(() => client.patch(target, type, patch, within(options))),
    delete: (target, options) => heard(() => client.delete(target, within(options))),
    deleteCollection: (target, options) => heard(() => client.deleteCollection(target, within(options))),
  }
}
