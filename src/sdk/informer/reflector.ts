import type { Clock } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, StatusError } from '../../machinery/status-error.ts'
import type { Client, TargetOf, WatchEvent } from '../client/client.ts'
import { type BackOff, createBackOff } from '../controller/back-off.ts'

/** Which collection is listed and watched. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Client
  readonly target: TargetOf<T>
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Receives the state of the collection. */
export interface ReflectorSink<T extends KubeObject> {
  /** All objects that there are now. */
  replace(items: readonly Readonly<T>[]): void
  apply(event: WatchEvent<T>): void
  /** The server does not have the resource (404). Returns whether that is expected; otherwise it is logged. */
  absent(): boolean
}

/** A watch that ended sooner than this without an event counts as a failure. */
const SHORT_WATCH_MS = 1000
/** A watch that is open this long after its timeout is dead, whatever the state of the connection. */
const OVERDUE_MS = 30_000

/** Lists, then watches from there; lists again when the history no longer has the watch's revision. */
export async function reflect<T extends KubeObject>(
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
): Promise<void> {
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
      const absent = isStatus(error) && error.code === 404 && sink.absent()
      if (!absent) options.log.warn(`cannot list ${options.target.resource}, trying again`, { error })
      await pause(options.clock, backOff.next(), signal)
    }
  }
}

async function listAll<T extends KubeObject>(options: ReflectorOptions<T>, resourceVersion: string, signal: AbortSignal) {
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
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
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
    try {
      using attempt = limitedSignal(clock, timeoutSeconds * 1000 + OVERDUE_MS, { parent: signal, reason: overdue, kind: 'heartbeat' })
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
        await pause(clock, backOff.next(), signal)
        return revision
      }
    }
    if (seen === 0 && clock.monotonic() - started < SHORT_WATCH_MS) await pause(clock, backOff.next(), signal)
  }
  return revision
}

const overdue = () => new Error('the server did not end the watch in time')
