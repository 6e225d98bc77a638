import type { Cancel, Clock } from '../../base/clock.ts'
import { apiVersionOf } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { expired, internalError, StatusError } from '../../machinery/status-error.ts'
import type { ViewEvent } from '../cache/cache-event.ts'
import { type Filter, passes } from '../cache/view.ts'
import { BATCH_EVENTS } from '../cache/view-log.ts'
import type { ReportCollection, ReportReader } from '../extension-points.ts'
import type { WatchSession, WatchStep } from '../store/watch-session.ts'
import { reportItem } from './report-item.ts'
import { selectedKeys } from './selected-keys.ts'

export interface ReportWatch {
  readonly definition: ResourceDefinition
  readonly collection: ReportCollection
  readonly reader: ReportReader
  readonly filter: Filter
  /** Begin with the present objects, or with the changes after this revision. */
  readonly from: 'now' | number
  readonly initialEvents: boolean
  readonly initialBookmark: boolean
  readonly timeoutMs: number
  readonly clock: Clock
}

/**
 * A watch of a computed collection. It reads the log of changes and makes each object when its reader is ready for it: a slow reader gets
 * the latest state of an object once.
 */
export class ReportWatchSession implements WatchSession {
  readonly #init: ReportWatch
  readonly #held: readonly (Disposable | undefined)[]
  readonly #cancel: Cancel
  /** Keys of the present objects that are still to be sent. */
  #initial: readonly string[] = []
  #position: number
  #bookmark: boolean
  #queue: WatchStep[] = []
  #busy = false
  #over = false
  #ready: () => void = () => {}

  constructor(init: ReportWatch) {
    const { collection, from, clock, timeoutMs } = init
    this.#init = init
    this.#held = [collection.watched?.(), collection.changes.onChange(() => this.#ready())]
    this.#cancel = clock.after(timeoutMs, () => this.finish())
    this.#position = from === 'now' ? collection.changes.revision : from
    if (collection.refreshed === undefined) this.#begin()
    else this.#refresh(collection.refreshed())
    this.#bookmark = init.initialBookmark
  }

  #begin(): void {
    const { collection, from, initialEvents } = this.#init
    if (from !== 'now') return
    this.#initial = initialEvents ? collection.keys() : []
    this.#position = collection.changes.revision
  }

  #refresh(refreshed: Promise<void>): void {
    this.#busy = true
    refreshed.then(
      () => {
        this.#busy = false
        this.#begin()
        this.#ready()
      },
      (error: unknown) => this.#failed(error),
    )
  }

  onReady(ready: () => void): void {
    this.#ready = ready
  }

  get pending(): number {
    return this.#init.collection.changes.revision - this.#position
  }

  next(): WatchStep | undefined {
    const step = this.#queue.shift()
    if (step === undefined && !this.#busy && !this.#over) this.#read()
    return step ?? this.#queue.shift()
  }

  /** Makes the next events; calls `ready` when they are there. */
  #read(): void {
    if (this.#initial.length > 0) {
      const keys = this.#initial.slice(0, BATCH_EVENTS)
      this.#initial = this.#initial.slice(BATCH_EVENTS)
      this.#make(keys, Number.NEGATIVE_INFINITY)
    } else if (this.#bookmark) {
      this.#bookmark = false
      this.#queue.push({ kind: 'bookmark', revision: this.#position, initial: true })
    } else this.#readChanges()
  }

  #readChanges(): void {
    const { changes } = this.#init.collection
    const before = this.#position
    const keys = changes.after(before, BATCH_EVENTS)
    if (keys === undefined) this.#fail(expired(`too old resource version: ${before} (${changes.revision})`))
    else if (keys.length > 0) {
      this.#position += keys.length
      this.#make([...new Set(keys)], before)
    }
  }

  #make(keys: readonly string[], before: number): void {
    this.#busy = true
    this.#eventsOf(keys, before).then(
      (events) => {
        this.#busy = false
        if (this.#over) return
        if (events.length > 0) this.#queue.push({ kind: 'events', batch: { events, memo: new Map() } })
        this.#ready()
      },
      (error: unknown) => this.#failed(error),
    )
  }

  async #eventsOf(changed: readonly string[], before: number): Promise<readonly ViewEvent[]> {
    const { collection, reader, filter } = this.#init
    const events: ViewEvent[] = []
    const keys = selectedKeys(changed, collection, filter)
    if (keys.length === 0) return events
    const found = await collection.objects(keys, reader)
    for (const key of keys) {
      const reported = found.get(key)
      if (reported === undefined) {
        if (collection.announcesGone === true) events.push(this.#goneEvent(key))
        continue
      }
      const { object, since } = reported
      const item = reportItem(key, object)
      if (passes(filter, item)) events.push({ type: since > before ? 'ADDED' : 'MODIFIED', item, revision: item.revision })
    }
    return events
  }

  /** Of an object that is gone, its name is left. */
  #goneEvent(key: string): ViewEvent {
    const { definition, collection } = this.#init
    const revision = collection.changes.revision
    const apiVersion = apiVersionOf({ group: definition.group, version: definition.storageVersion })
    const [name = '', namespace] = key.split('/').reverse()
    const metadata = { name, ...(namespace !== undefined && { namespace }), resourceVersion: String(revision) }
    return { type: 'DELETED', item: reportItem(key, { apiVersion, kind: definition.names.kind, metadata }), revision }
  }

  #failed(error: unknown): void {
    this.#fail(error instanceof StatusError ? error : internalError(error))
  }

  #fail(error: StatusError): void {
    this.#end({ kind: 'error', status: error.status }, { kind: 'end' })
  }

  #end(...last: WatchStep[]): void {
    if (this.#over) return
    this.close()
    this.#queue = last
    this.#ready()
  }

  finish(): void {
    this.#end({ kind: 'end' })
  }

  close(): void {
    this.#over = true
    this.#cancel()
    for (const held of this.#held) held?.[Symbol.dispose]()
  }
}
