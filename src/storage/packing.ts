import type { Cancel, Clock } from '../base/clock.ts'
import { FifoQueue } from '../base/collections/fifo-queue.ts'
import { KeptEntry } from './kept-entry.ts'
import { RevisionAges } from './revision-ages.ts'
import type { Entry, Revision } from './store.ts'
import { UnpackedBlocks, ValueBlock } from './value-block.ts'

/** How much a store keeps unpacked, and for how long. */
export interface PackingBounds {
  /** The latest values, of so many bytes together, are never packed. */
  readonly freshBytes: number
  /** Nor are those that are younger than this, … */
  readonly freshMs: number
  /** … unless there are so many bytes of them. */
  readonly mostFreshBytes: number
}

/** A cluster for tests, or of a hundred nodes, stays below: nothing of it is ever packed. */
export const DEFAULT_PACKING: PackingBounds = Object.freeze({ freshBytes: 24 << 20, freshMs: 15_000, mostFreshBytes: 96 << 20 })

/** Values in one block: more pack better, fewer are unpacked faster when only one of them is needed. */
const BLOCK_VALUES = 16
/** A value of this size is not packed: packing eight megabytes would block all others for a sixth of a second, and so would each read. */
const BLOCK_BYTES = 128 << 10
/** What one turn of the event loop packs at most: about three milliseconds of work. */
const TURN_BYTES = 512 << 10
/** … or passes over. */
const TURN_VALUES = 4096
const PAUSE_MS = 10
const LOOK_MS = 1000

export interface PackingDeps {
  readonly clock: Clock
  /** The latest. */
  readonly revision: () => Revision
  /** Whether the entry is still current: a replaced one is dropped with the history. */
  readonly isCurrent: (entry: Entry) => boolean
}

/**
 * Packs the values of entries that have not changed for a while. A pod has five thousand bytes, most of them equal to those of the pod
 * before it: sixteen packed pods need no more memory than one.
 */
export class Packing {
  readonly #bounds: PackingBounds
  readonly #deps: PackingDeps
  readonly #unpacked = new UnpackedBlocks()
  readonly #ages = new RevisionAges()
  /** In order of revision. */
  readonly #fresh = new FifoQueue<KeptEntry>()
  #freshBytes = 0
  #aged: Revision = 0
  /** What is to be packed, by kind: only what is alike packs well. */
  readonly #open = new Map<string, { entries: KeptEntry[]; bytes: number }>()
  #stop: Cancel | undefined
  #stopped = false

  constructor(bounds: PackingBounds, deps: PackingDeps) {
    this.#bounds = bounds
    this.#deps = deps
  }

  /** Something was written, or read from the disk. */
  add(entry: Entry): void {
    if (!(entry instanceof KeptEntry) || entry.isPacked || entry.sizeBytes >= BLOCK_BYTES) return
    this.#fresh.add(entry)
    this.#freshBytes += entry.sizeBytes
    if (this.#freshBytes > this.#bounds.freshBytes) this.#plan(LOOK_MS)
  }

  stop(): void {
    this.#stopped = true
    this.#stop?.()
  }

  #plan(delayMs: number): void {
    if (this.#stop !== undefined || this.#stopped) return
    const work = () => {
      this.#stop = undefined
      this.#work()
    }
    // Heartbeats are packed too: if it could stop them, it would have them played, and packed.
    this.#stop = this.#deps.clock.after(delayMs, work, 'routine')
  }

  #work(): void {
    const now = this.#deps.clock.now()
    this.#ages.note(now, this.#deps.revision())
    this.#aged = Math.max(this.#aged, this.#ages.olderThan(now, this.#bounds.freshMs))
    const pauseMs = this.#packSome()
    if (pauseMs !== undefined) this.#plan(pauseMs)
  }

  /** Packs what is old enough, as much as one turn may; how long until there is more to do, if there is. */
  #packSome(): number | undefined {
    const { freshBytes, mostFreshBytes } = this.#bounds
    let packed = 0
    for (let seen = 0; this.#freshBytes > freshBytes; seen++) {
      const entry = this.#fresh.first
      if (entry === undefined) return undefined
      if (entry.revision > this.#aged && this.#freshBytes <= mostFreshBytes) return LOOK_MS
      if (packed >= TURN_BYTES || seen >= TURN_VALUES) return PAUSE_MS
      this.#fresh.take()
      this.#freshBytes -= entry.sizeBytes
      if (!entry.isPacked && this.#deps.isCurrent(entry)) packed += this.#collect(entry)
    }
    return undefined
  }

  /** Collects an entry with similar ones, and packs them when there are enough; returns the number of packed bytes. */
  #collect(entry: KeptEntry): number {
    const kind = kindOf(entry.key)
    const open = this.#open.get(kind) ?? { entries: [], bytes: 0 }
    this.#open.set(kind, open)
    open.entries.push(entry)
    open.bytes += entry.sizeBytes
    if (open.entries.length < BLOCK_VALUES && open.bytes < BLOCK_BYTES) return 0
    this.#open.delete(kind)
    const block = new ValueBlock(
      open.entries.map((e) => e.value),
      this.#unpacked,
    )
    let at = 0
    for (const member of open.entries) {
      member.packedInto(block, at)
      at += member.sizeBytes
    }
    return open.bytes
  }
}

/** The part of the key that entries of one kind share, guessed without knowledge of the keys' format. */
function kindOf(key: string): string {
  let end = 0
  for (let i = 0; i < KIND_PARTS && end >= 0; i++) end = key.indexOf('/', end + 1)
  return end < 0 ? '' : key.slice(0, end)
}

const KIND_PARTS = 3
