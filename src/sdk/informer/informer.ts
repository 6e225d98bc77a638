import { type Cancel, type Clock, systemClock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, StatusError } from '../../machinery/status-error.ts'
import type { Client, TargetOf, WatchEvent } from '../client/client.ts'
import { type BackOff, createBackOff } from '../controller/back-off.ts'
import { IndexedStore, type Indexers } from './indexed-store.ts'
import { objectKey } from './object-key.ts'

/**
 * Handlers of changes, called in order, synchronously. An exception of a handler is logged and stops nothing. For each object (one uid) a
 * handler gets `added`, then any number of `updated`, then `deleted`, whatever the watch missed in between.
 */
export interface InformerHandler<T extends KubeObject> {
  readonly added?: (object: Readonly<T>) => void
  /** Always the same object: one that was deleted and created again under its name is reported as `deleted`, then `added`. */
  readonly updated?: (object: Readonly<T>, old: Readonly<T>) => void
  /** The last state that was seen; after a gap in the watch that may not be the very last one. */
  readonly deleted?: (object: Readonly<T>) => void
}

/** Which collection is copied, and how its objects are found. */
export interface InformerOptions<T extends KubeObject> {
  readonly client: Client
  /** The collection; with a namespace, only that one. */
  readonly target: TargetOf<T>
  /** Only objects whose labels match, in kubectl's notation: `app=web,tier in (a,b)`. Default: all. */
  readonly labelSelector?: string
  /** Only objects whose fields match: `spec.nodeName=node-1`. Which fields can be named depends on the kind. Default: all. */
  readonly fieldSelector?: string
  /** Indexes besides the key: name of an index → a function that returns the values of an object. */
  readonly indexers?: Indexers<T>
  /** A server that does not have the resource (404) counts as one with no objects, until it has. Default false. */
  readonly optional?: boolean
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Spreads the pauses between attempts. Default: the machine's. */
  readonly random?: Random
  /** Default: no log. */
  readonly log?: Logger
}

/** A local copy of a collection, kept by list and watch. Its objects are shared: clone one (`cloneJson`) before changing it. */
export interface Informer<T extends KubeObject> {
  /** Whether the first list was delivered to all handlers. */
  readonly hasSynced: boolean
  /** Resolves when `hasSynced` becomes true. */
  readonly synced: Promise<void>
  /** How many objects it holds. */
  readonly size: number
  /** By `namespace/name`, or `name` for objects of the cluster. */
  get(key: string): Readonly<T> | undefined
  /** All objects, or those of a namespace, in no particular order. */
  list(namespace?: string): readonly Readonly<T>[]
  /** The objects with this value in an index of `indexers` (or in `namespace`, which every informer has). */
  byIndex(index: string, value: string): readonly Readonly<T>[]
  /** Calls `added` for every object that is known now, and then the handler for all changes. */
  addHandler(handler: InformerHandler<T>): Cancel
  /** Lists and watches until the signal is aborted; then resolves. Called once. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Makes an informer; `run` starts it.
 *
 * ```ts
 * const pods = createInformer({ client, target: refs.PODS, indexers: { node: (pod) => [pod.spec.nodeName ?? ''] } })
 * pods.addHandler({ added: (pod) => queue.add(objectKey(pod)) })
 * const running = pods.run(signal)
 * await pods.synced
 * pods.byIndex('node', 'node-1')
 * ```
 */
export function createInformer<T extends KubeObject = KubeObject>(given: InformerOptions<T>): Informer<T> {
  const options = { ...given, clock: given.clock ?? systemClock, random: given.random ?? systemRandom(), log: given.log ?? silentLogger }
  const store = new IndexedStore<T>(options.indexers ?? {})
  const handlers = new Set<InformerHandler<T>>()
  const { log } = options
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
  /** `known`: the current entry. */
  const put = (key: string, object: Readonly<T>, known: Readonly<T> | undefined) => {
    // An object that was deleted and created again under the name, unobserved, is another object.
    const another = known !== undefined && isAnother(known, object)
    if (another) remove(key, known)
    const old = store.set(key, object, another ? undefined : known)
    if (old === undefined) tellAll((h) => h.added?.(object))
    else if (old !== object && old.metadata.resourceVersion !== object.metadata.resourceVersion) tellAll((h) => h.updated?.(object, old))
  }
  const remove = (key: string, last: Readonly<T>) => {
    store.delete(key)
    tellAll((h) => h.deleted?.(last))
  }
  const sink: Sink<T> = {
    replace(items) {
      const present = new Set(items.map(objectKey))
      for (const key of [...store.keys()]) {
        const old = present.has(key) ? undefined : store.get(key)
        if (old !== undefined) remove(key, old)
      }
      for (const item of items) {
        const key = objectKey(item)
        put(key, item, store.get(key))
      }
      hasSynced = true
      announceSynced()
    },
    apply(event) {
      if (event.type === 'BOOKMARK') return
      const key = objectKey(event.object)
      const known = store.get(key)
      // An event that was delivered twice, or overtaken, is ignored.
      if (isOlder(event.object, known)) return
      if (event.type !== 'DELETED') put(key, event.object, known)
      else if (known !== undefined && !isAnother(known, event.object)) remove(key, event.object)
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

const isAnother = (a: Readonly<KubeObject>, b: Readonly<KubeObject>) => a.metadata.uid !== b.metadata.uid

/** Versions of built-in and custom resources are counters; those of other servers may be anything, and are then not compared. */
function isOlder(object: Readonly<KubeObject>, known: Readonly<KubeObject> | undefined): boolean {
  const [a = '', b = ''] = [object.metadata.resourceVersion, known?.metadata.resourceVersion]
  if (!COUNTER.test(a) || !COUNTER.test(b)) return false
  return a.length === b.length ? a < b : a.length < b.length
}

const COUNTER = /^[1-9]\d*$/

interface Sink<T extends KubeObject> {
  replace(items: readonly Readonly<T>[]): void
  apply(event: WatchEvent<T>): void
}

interface Complete<T extends KubeObject> extends InformerOptions<T> {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** A watch that ended sooner than this without an event counts as a failure. */
const SHORT_WATCH_MS = 1000
/** A watch that is open this long after its timeout is dead, whatever the state of the connection. */
const OVERDUE_MS = 30_000

/** Lists, then watches from there; lists again when the history no longer has the watch's revision. */
async function reflect<T extends KubeObject>(options: Complete<T>, sink: Sink<T>, signal: AbortSignal): Promise<void> {
  const backOff = createBackOff({ firstMs: 800, maxMs: 30_000, jitter: 1 }, options.random)
  let listFrom = '0'
  while (!signal.aborted) {
    try {
      const { items, revision } = await listAll(options, listFrom, signal)
      sink.replace(items)
      listFrom = await watchFrom(options, sink, revision, backOff, signal)
    } catch (error) {
      if (signal.aborted) return
      // The page has expired, or this server does not know the version (yet, or since its data was restored): read the latest.
      if (isStatus(error) && (error.code === 410 || error.code === 504)) listFrom = ''
      if (options.optional && isStatus(error) && error.code === 404) {
        sink.replace([])
        await pause(options, backOff, signal)
        continue
      }
      options.log.warn(`cannot list ${options.target.resource}, trying again`, { error })
      await pause(options, backOff, signal)
    }
  }
}

async function listAll<T extends KubeObject>(options: Complete<T>, resourceVersion: string, signal: AbortSignal) {
  const { labelSelector, fieldSelector } = options
  const selectors = { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) }
  const items: Readonly<T>[] = []
  let next = ''
  for (;;) {
    const place = next !== '' ? { continue: next } : resourceVersion !== '' ? { resourceVersion } : {}
    const list = await options.client.list<T>(options.target, { ...selectors, ...place, signal })
    for (const item of list.items) items.push(named<T>(item, list))
    next = list.metadata.continue ?? ''
    if (next === '') return { items, revision: list.metadata.resourceVersion ?? '' }
  }
}

/** Lists of built-in kinds leave out what each item is; events do not. */
function named<T extends KubeObject>(
  item: Readonly<T>,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Readonly<T> {
  return item.kind === undefined ? Object.assign({}, item, { apiVersion, kind: kind.replace(/List$/, '') }) : item
}

/** Watches, again and again, until history is gone; returns the resourceVersion that the next list may be served at (`''`: the latest). */
async function watchFrom<T extends KubeObject>(
  options: Complete<T>,
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
    const timeoutSeconds = Math.floor(300 * (1 + random.next()))
    const attempt = limited(clock, timeoutSeconds * 1000 + OVERDUE_MS, signal)
    try {
      const place = { resourceVersion: revision, allowWatchBookmarks: true, timeoutSeconds }
      const events = client.watch<T>(target, { ...selectors, ...place, signal: attempt.signal })
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
      log.warn(`the watch of ${target.resource} broke, trying again`, { error })
      if (!(error instanceof StatusError && error.code === 503)) {
        await pause(options, backOff, signal)
        return revision
      }
    } finally {
      attempt.end()
    }
    if (seen === 0 && clock.monotonic() - started < SHORT_WATCH_MS) await pause(options, backOff, signal)
  }
  return revision
}

/** A signal that is aborted with `signal`, or when the time is over. */
function limited(clock: Clock, limitMs: number, signal: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const own = new AbortController()
  const stop = () => own.abort(signal.reason)
  const cancel = clock.after(limitMs, () => own.abort(new Error('the server did not end the watch in time')))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    signal: own.signal,
    end() {
      cancel()
      signal.removeEventListener('abort', stop)
    },
  }
}

async function pause(options: { readonly clock: Clock }, backOff: BackOff, signal: AbortSignal): Promise<void> {
  await options.clock.sleep(backOff.next(), signal).catch(() => {})
}
