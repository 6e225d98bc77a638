import type { Cancel, Clock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, StatusError } from '../../machinery/status-error.ts'
import type { Client, Target, WatchEvent } from '../client/client.ts'
import { type BackOff, createBackOff } from '../controller/back-off.ts'
import { IndexedStore, type Indexers } from './indexed-store.ts'
import { objectKey } from './object-key.ts'

/** What is told of changes, in order, synchronously. What a handler throws is logged and stops nothing. */
export interface InformerHandler<T extends KubeObject> {
  readonly added?: (object: Readonly<T>) => void
  readonly updated?: (object: Readonly<T>, old: Readonly<T>) => void
  /** The last state that was seen; after a gap in the watch that may not be the very last one. */
  readonly deleted?: (object: Readonly<T>) => void
}

export interface InformerOptions<T extends KubeObject> {
  readonly client: Client
  /** The collection; with a namespace, only that one. */
  readonly target: Target
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly indexers?: Indexers<T>
  /** A server that does not have the resource (404) counts as one with no objects, until it has. */
  readonly optional?: boolean
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
}

/** A local copy of a collection, kept by list and watch. */
export interface Informer<T extends KubeObject> {
  /** Whether the first list is in and was told to all handlers. */
  readonly hasSynced: boolean
  /** Resolves when `hasSynced` becomes true. */
  readonly synced: Promise<void>
  readonly size: number
  /** By `namespace/name`, or `name` for objects of the cluster. */
  get(key: string): Readonly<T> | undefined
  list(namespace?: string): readonly Readonly<T>[]
  byIndex(index: string, value: string): readonly Readonly<T>[]
  /** Tells of every object that is known now as added, and of all changes from here on. */
  addHandler(handler: InformerHandler<T>): Cancel
  /** Lists and watches until the signal is aborted; then resolves. Called once. */
  run(signal: AbortSignal): Promise<void>
}

export function createInformer<T extends KubeObject = KubeObject>(options: InformerOptions<T>): Informer<T> {
  const store = new IndexedStore<T>(options.indexers ?? {})
  const handlers = new Set<InformerHandler<T>>()
  const log = options.log ?? silentLogger
  let announceSynced = () => {}
  let hasSynced = false
  const synced = new Promise<void>((resolve) => {
    announceSynced = resolve
  })

  const tell = (handler: InformerHandler<T>, change: (h: InformerHandler<T>) => void) => {
    try {
      change(handler)
    } catch (error) {
      log.error(`an informer handler for ${options.target.resource} failed`, { error })
    }
  }
  const tellAll = (change: (h: InformerHandler<T>) => void) => {
    for (const handler of handlers) tell(handler, change)
  }
  const put = (object: Readonly<T>) => {
    const old = store.set(object)
    if (old === undefined) tellAll((h) => h.added?.(object))
    else if (old !== object && old.metadata.resourceVersion !== object.metadata.resourceVersion) tellAll((h) => h.updated?.(object, old))
  }
  const remove = (key: string, last?: Readonly<T>) => {
    const old = store.delete(key)
    if (old !== undefined) tellAll((h) => h.deleted?.(last ?? old))
  }
  const sink: Sink<T> = {
    replace(items) {
      const present = new Set(items.map(objectKey))
      for (const key of [...store.keys()]) if (!present.has(key)) remove(key)
      for (const item of items) put(item)
      hasSynced = true
      announceSynced()
    },
    apply(event) {
      if (event.type === 'DELETED') remove(objectKey(event.object), event.object)
      else if (event.type !== 'BOOKMARK') put(event.object)
    },
  }

  return {
    get hasSynced() {
      return hasSynced
    },
    synced,
    get size() {
      return store.size
    },
    get: (key) => store.get(key),
    list: (namespace) => (namespace === undefined ? store.list() : store.byIndex('namespace', namespace)),
    byIndex: (index, value) => store.byIndex(index, value),
    addHandler(handler) {
      for (const object of store.list()) tell(handler, (h) => h.added?.(object))
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    run: (signal) => reflect(options, sink, signal),
  }
}

interface Sink<T extends KubeObject> {
  replace(items: readonly Readonly<T>[]): void
  apply(event: WatchEvent<T>): void
}

/** A watch that ended sooner than this without an event counts as a failure. */
const SHORT_WATCH_MS = 1000

/** Lists, then watches from there; lists again when the watch's place in history is gone. */
async function reflect<T extends KubeObject>(options: InformerOptions<T>, sink: Sink<T>, signal: AbortSignal): Promise<void> {
  const backOff = createBackOff({ firstMs: 800, maxMs: 30_000, jitter: 1 }, options.random)
  let listFrom = '0'
  while (!signal.aborted) {
    try {
      const { items, revision } = await listAll(options, listFrom, signal)
      sink.replace(items)
      listFrom = await watchFrom(options, sink, revision, backOff, signal)
    } catch (error) {
      if (signal.aborted) return
      if (options.optional && isStatus(error) && error.code === 404) {
        sink.replace([])
        await pause(options, backOff, signal)
        continue
      }
      options.log?.warn(`cannot list ${options.target.resource}, trying again`, { error })
      await pause(options, backOff, signal)
    }
  }
}

async function listAll<T extends KubeObject>(options: InformerOptions<T>, resourceVersion: string, signal: AbortSignal) {
  const { labelSelector, fieldSelector } = options
  const selectors = { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) }
  const items: Readonly<T>[] = []
  let next = ''
  for (;;) {
    const place = next === '' ? { resourceVersion } : { continue: next }
    const list = await options.client.list<T>(options.target, { ...selectors, ...place, signal })
    for (const item of list.items) items.push(item)
    next = list.metadata.continue ?? ''
    if (next === '') return { items, revision: list.metadata.resourceVersion ?? '' }
  }
}

/** Watches, again and again, until history is gone; returns the resourceVersion that the next list may be served at (`''`: the latest). */
async function watchFrom<T extends KubeObject>(
  options: InformerOptions<T>,
  sink: Sink<T>,
  from: string,
  backOff: BackOff,
  signal: AbortSignal,
): Promise<string> {
  const { client, target, labelSelector, fieldSelector, clock, random, log } = options
  const selectors = { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) }
  let revision = from
  while (!signal.aborted) {
    const started = clock.monotonic()
    let seen = 0
    try {
      const timeoutSeconds = Math.floor(300 * (1 + random.next()))
      const events = client.watch<T>(target, { ...selectors, resourceVersion: revision, allowWatchBookmarks: true, timeoutSeconds, signal })
      for await (const batch of events) {
        for (const event of batch) {
          sink.apply(event)
          revision = event.object.metadata.resourceVersion ?? revision
        }
        seen += batch.length
        backOff.reset()
      }
    } catch (error) {
      if (signal.aborted) break
      if (isStatus(error, 'Expired', 'Gone') || (error instanceof StatusError && error.code === 410)) return ''
      log?.warn(`the watch of ${target.resource} broke, trying again`, { error })
      if (!(error instanceof StatusError && error.code === 503)) {
        await pause(options, backOff, signal)
        return revision
      }
    }
    if (seen === 0 && clock.monotonic() - started < SHORT_WATCH_MS) await pause(options, backOff, signal)
  }
  return revision
}

async function pause(options: { readonly clock: Clock }, backOff: BackOff, signal: AbortSignal): Promise<void> {
  await options.clock.sleep(backOff.next(), signal).catch(() => {})
}
