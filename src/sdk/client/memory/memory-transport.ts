import type { Clock } from '../../../base/clock.ts'
import { onAbort } from '../../../base/on-abort.ts'
import type { Random } from '../../../base/random.ts'
import type { ConnectCall } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { badRequest, expired, notImplemented } from '../../../machinery/status-error.ts'
import type { ApiCall, Transport } from '../client.ts'
import { MemoryObjects } from './memory-objects.ts'

/** What the tests of a component can do to the collection of objects behind its client. */
export interface MemoryTransport extends Transport {
  /** Every call that was made, watches included, in order. */
  readonly calls: readonly ApiCall[]
  /** Runs before every call; throw a `StatusError` to make it fail. */
  intercept: (call: ApiCall) => void | Promise<void>
  /** Drops history: watches from earlier revisions get 410. */
  compact(): void
  /** Ends all running watches. */
  breakWatches(): void
  /** All objects of a resource, for assertions. */
  objects<T extends KubeObject = KubeObject>(resource: string): readonly T[]
}

/** Objects in memory behind the client's seam, without rules, schemas or authorization: for tests of what uses a client. */
export function memoryTransport(deps: { readonly clock: Clock; readonly random: Random }): MemoryTransport {
  const objects = new MemoryObjects(deps)
  const watchers = new Set<{ wake: () => void; broken: boolean }>()
  const calls: ApiCall[] = []
  objects.changed = () => {
    for (const watcher of watchers) watcher.wake()
  }
  const begin = async (call: ApiCall) => {
    calls.push(call)
    await transport.intercept(call)
  }
  const nothingRuns = (call: ConnectCall) => Promise.reject(notImplemented(`${call.target.subresource} of ${call.target.resource}`))
  const transport: MemoryTransport = {
    calls,
    connect: { command: nothingRuns, ports: nothingRuns, bytes: nothingRuns },
    page: (call) => Promise.reject(notImplemented(`the page ${call.path}`)),
    intercept: () => {},
    compact: () => objects.compact(),
    breakWatches() {
      for (const watcher of watchers) {
        watcher.broken = true
        watcher.wake()
      }
    },
    objects: <T extends KubeObject>(resource: string) => objects.all(resource) as readonly T[],
    async call(call) {
      await begin(call)
      return objects.answer(call)
    },
    async *watch(call) {
      await begin(call)
      let after = Number(call.query.resourceVersion ?? objects.revision)
      if (Number.isNaN(after)) throw badRequest('resourceVersion must be a number')
      const watcher = { wake: () => {}, broken: false }
      watchers.add(watcher)
      using _ = onAbort(call.signal, () => watcher.wake())
      try {
        while (!watcher.broken && !call.signal?.aborted) {
          if (after < objects.compacted) throw expired(`too old resource version: ${after} (${objects.compacted})`)
          const batch = objects.eventsAfter(after, call)
          after = objects.revision
          if (batch.length > 0) {
            yield batch
            continue
          }
          await new Promise<void>((resolve) => {
            watcher.wake = resolve
          })
        }
      } finally {
        watchers.delete(watcher)
      }
    },
  }
  return transport
}
