import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { pause } from '../../../base/pause.ts'
import { giveTurn } from '../../../base/turns.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Client, Target, WatchEvent } from '../../../sdk/client/client.ts'
import { createBackOff } from '../../../sdk/controller/back-off.ts'

/** Where a collection is copied to. */
export interface PageSink {
  /** A page of a list. */
  put(objects: readonly Readonly<KubeObject>[], kind: string): void
  /** The list is complete: what was not put since the last `listed` is gone. */
  listed(): void
  apply(event: WatchEvent): void
  /** The list or the watch failed, and is tried again. Empty: it works. */
  problem(text: string): void
}

/** What is copied. */
export interface ReflectOptions {
  readonly client: Client
  readonly target: Target
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly clock: Clock
}

/** Objects of one page: so many rows are made in one turn of the event loop, in some milliseconds. */
const PAGE_OBJECTS = 500

/**
 * Lists a collection in pages, and watches it from there, until the signal is aborted. An informer waits for the whole list, and keeps
 * whole objects; here the first page is shown while the others are read.
 */
export async function reflectPages(options: ReflectOptions, sink: PageSink, signal: AbortSignal): Promise<void> {
  const backOff = createBackOff({ firstMs: 500, maxMs: 10_000, jitter: 0.2 })
  while (!signal.aborted) {
    const startedMs = options.clock.monotonic()
    try {
      let revision = await listPages(options, sink, signal)
      sink.problem('')
      backOff.reset()
      while (!signal.aborted) revision = await watchFrom(options, sink, revision, signal)
    } catch (error) {
      if (signal.aborted) return
      // Too old a revision: the next list reads the latest. A server that says so at once is not asked in a loop.
      if (isStatus(error) && error.code === 410) {
        if (options.clock.monotonic() - startedMs < SHORT_WATCH_MS) await pause(options.clock, SHORT_WATCH_MS, signal)
        continue
      }
      sink.problem(messageOf(error))
      await pause(options.clock, backOff.next(), signal)
    }
  }
}

async function listPages({ client, target, ...selectors }: ReflectOptions, sink: PageSink, signal: AbortSignal): Promise<string> {
  let next = ''
  for (;;) {
    const page = await client.list(target, { ...chosen(selectors), limit: PAGE_OBJECTS, ...(next !== '' && { continue: next }), signal })
    sink.put(page.items, page.kind.replace(/List$/, ''))
    next = page.metadata.continue ?? ''
    if (next === '') {
      sink.listed()
      return page.metadata.resourceVersion ?? ''
    }
    await giveTurn()
  }
}

const chosen = ({ labelSelector, fieldSelector }: Pick<ReflectOptions, 'labelSelector' | 'fieldSelector'>) => ({
  ...(labelSelector !== '' && { labelSelector }),
  ...(fieldSelector !== '' && { fieldSelector }),
})

/** One watch, until the server ends it. Resolves with the revision that it reached. */
async function watchFrom(options: ReflectOptions, sink: PageSink, from: string, signal: AbortSignal): Promise<string> {
  const { client, target, clock } = options
  const started = clock.monotonic()
  let revision = from
  const events = client.watch(target, { ...chosen(options), resourceVersion: from, allowWatchBookmarks: true, signal })
  for await (const batch of events)
    for (const event of batch) {
      revision = event.object.metadata.resourceVersion ?? revision
      sink.apply(event)
    }
  // A server that ends watches at once is not asked in a loop.
  if (clock.monotonic() - started < SHORT_WATCH_MS) await pause(clock, SHORT_WATCH_MS, signal)
  return revision
}

const SHORT_WATCH_MS = 1_000
