import type { StoredObject } from './stored-object.ts'
import { BATCH_BYTES, BATCH_EVENTS, type Batch } from './view-log.ts'

/** Bound on the stored bytes of the pooled batches; each rendered form of them weighs as much again. */
const MAX_BYTES = 8 * 1024 * 1024

interface Pooled {
  readonly items: readonly StoredObject[]
  readonly batch: Batch
  readonly bytes: number
}

/**
 * Shares the initial events of watches: a watch that begins shortly after another gets the same batches, and so the same rendered bytes. An
 * LRU keeps the batches for a while.
 */
export class BatchPool {
  /** By their first item, least recently used first. */
  readonly #pooled = new Map<StoredObject, Pooled>()
  #bytes = 0

  /** ADDED events for the items from `start` on, up to one batch. */
  initial(all: readonly StoredObject[], start: number): Batch {
    const first = all[start]
    let end = start
    let bytes = 0
    while (end < all.length && end - start < BATCH_EVENTS && bytes < BATCH_BYTES) bytes += all[end++]?.sizeBytes ?? 0
    const items = all.slice(start, end)
    const known = first && this.#pooled.get(first)
    if (first !== undefined && known !== undefined && known.items.length === items.length && known.items.every((k, i) => k === items[i])) {
      this.#pooled.delete(first)
      this.#pooled.set(first, known)
      return known.batch
    }
    const batch: Batch = { events: items.map((item) => ({ type: 'ADDED', item, revision: item.revision })), memo: new Map() }
    if (first !== undefined) this.#keep(first, { items, batch, bytes })
    return batch
  }

  /** Drops all batches. */
  clear(): void {
    this.#pooled.clear()
    this.#bytes = 0
  }

  #keep(first: StoredObject, pooled: Pooled): void {
    this.#drop(first)
    this.#pooled.set(first, pooled)
    this.#bytes += pooled.bytes
    for (const oldest of this.#pooled.keys()) {
      if (this.#bytes <= MAX_BYTES) return
      this.#drop(oldest)
    }
  }

  #drop(first: StoredObject): void {
    this.#bytes -= this.#pooled.get(first)?.bytes ?? 0
    this.#pooled.delete(first)
  }
}
