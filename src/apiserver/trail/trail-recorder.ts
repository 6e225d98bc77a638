import type { Clock } from '../../base/clock.ts'
import { ChangeLog } from '../../base/collections/change-log.ts'
import type { Random } from '../../base/random.ts'
import type { Request } from '../request/request.ts'
import { CausedRequests } from './caused-requests.ts'
import { RecordedTrail, type TrailKeeper } from './recorded-trail.ts'
import { RecordedWrites } from './recorded-writes.ts'
import { TrailRing } from './trail-ring.ts'

/** Most writes, watches and failures that are kept, and most bytes of all trails. */
const MOST_TRAILS = 5000
const MOST_BYTES = 16 * 1024 * 1024
/** Most other reads: there are many of them, and they change nothing. */
const MOST_READS = 500
/** Trails stay indexed until so many requests have passed since they were read last. */
const INDEXED_REQUESTS = 20_000

/** An audit id that may be the name of an object; a client may choose any text. */
const USABLE_ID = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/**
 * Keeps the facts of the last requests, within a bound in number and bytes.
 *
 * While no client reads trails they are facts in a ring, and each new one replaces the oldest: with new objects, and an index of
 * each, a GET took 12 µs of CPU more, most of it to collect objects that had lived for 5,000 requests. Who reads trails calls `follow`
 * first. From then on all of them are indexed, and none is used again.
 */
export class TrailRecorder implements TrailKeeper {
  /** In which order trails were announced and changed. */
  readonly changes: ChangeLog
  readonly writes: RecordedWrites
  readonly causes = new CausedRequests()
  readonly #deps: { readonly clock: Clock; readonly random: Random }
  readonly #reads = new TrailRing(MOST_READS)
  readonly #others = new TrailRing(MOST_TRAILS)
  readonly #byName = new Map<string, RecordedTrail>()
  /** Requests until the index is dropped; 0: there is none. */
  #indexedFor = 0
  #bytes = 0
  #followers = 0
  /** Of these, who wants details. */
  #readers = 0

  constructor(deps: { readonly clock: Clock; readonly random: Random }) {
    this.#deps = deps
    this.changes = new ChangeLog(deps.clock.now())
    this.writes = new RecordedWrites(deps.clock.now())
  }

  /** True while somebody watches trails. */
  get detailed(): boolean {
    return this.#readers > 0
  }

  get size(): number {
    return this.#reads.size + this.#others.size
  }

  get bytes(): number {
    return this.#bytes
  }

  monotonic(): number {
    return this.#deps.clock.monotonic()
  }

  now(): number {
    return this.#deps.clock.now()
  }

  /** Begins the trail of a request. */
  begin(request: Request): RecordedTrail {
    if (this.#indexedFor > 0 && this.#followers === 0 && --this.#indexedFor === 0) this.#dropIndex()
    const ring = RecordedTrail.isRead(request) ? this.#reads : this.#others
    const dropped = ring.full ? this.#drop(ring) : undefined
    const trail = dropped ?? new RecordedTrail(this, request.info)
    trail.begin(request)
    ring.push(trail)
    this.#bytes += trail.bytes
    if (this.#indexedFor > 0) this.#index(trail)
    this.#dropWhatExceeds()
    return trail
  }

  /** Indexes the trails, for who is about to read them. */
  follow(): void {
    const before = this.#indexedFor
    this.#indexedFor = INDEXED_REQUESTS
    if (before > 0) return
    // A read that has failed is in both.
    const all = new Set([...this.#reads, ...this.#others])
    const kept = [...all].filter((trail) => trail.kept)
    for (const trail of kept.sort((a, b) => a.startedMs - b.startedMs)) {
      this.#index(trail)
      trail.revision = this.changes.revision
      if (trail.code !== undefined) this.#join(trail)
    }
  }

  /** The same, for who is about to read `writes`. */
  followWrites(): void {
    this.follow()
    this.writes.follow([...this.#byName.values()].filter(({ code }) => code !== undefined))
  }

  /** The names of all trails, the oldest first; call `follow` before. */
  names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  /** The trail of that name; call `follow` before. */
  of(name: string): RecordedTrail | undefined {
    return this.#byName.get(name)
  }

  /** Trails stay indexed until the result is disposed of. */
  followed(): Disposable {
    this.follow()
    this.#followers++
    return { [Symbol.dispose]: () => void this.#followers-- }
  }

  /** The same, and details are recorded. */
  watched(): Disposable {
    const followed = this.followed()
    this.#readers++
    return {
      [Symbol.dispose]: () => {
        this.#readers--
        followed[Symbol.dispose]()
      },
    }
  }

  nameFor(id: string): string {
    return USABLE_ID.test(id) ? id : this.#deps.random.uuid()
  }

  newId(): string {
    return this.#deps.random.uuid()
  }

  changed(trail: RecordedTrail): void {
    if (this.#isIndexed(trail)) this.#announce(trail)
  }

  #announce(trail: RecordedTrail): void {
    trail.revision = this.changes.note(trail.name)
    if (trail.since === 0) trail.since = trail.revision
  }

  completed(trail: RecordedTrail): void {
    if (trail.isRead && trail.failure !== undefined && trail.kept) this.#keepFailed(trail)
    if (!this.#isIndexed(trail)) return
    this.#announce(trail)
    const cause = this.#join(trail)
    if (cause !== undefined) this.changed(cause)
  }

  grown(trail: RecordedTrail, bytes: number): void {
    if (!trail.kept) return
    this.#bytes += bytes
    this.#dropWhatExceeds()
  }

  /** A read that has failed is kept as long as a write; its turn among the reads passes. */
  #keepFailed(trail: RecordedTrail): void {
    if (this.#others.full) this.#drop(this.#others)
    this.#others.push(trail)
  }

  #index(trail: RecordedTrail): void {
    // A client may send the same id twice.
    if (this.#byName.has(trail.name)) trail.name = this.#deps.random.uuid()
    this.#byName.set(trail.name, trail)
  }

  #isIndexed(trail: RecordedTrail): boolean {
    return this.#indexedFor > 0 && this.#byName.get(trail.name) === trail
  }

  /** Joins an ended request with the object that it wrote, and the one that caused it; returns the latter. */
  #join(trail: RecordedTrail): RecordedTrail | undefined {
    this.writes.add(trail)
    this.causes.stored(trail)
    return this.causes.add(trail)
  }

  #dropIndex(): void {
    this.#byName.clear()
    this.writes.clear()
    this.causes.clear()
    this.changes.restart()
  }

  #dropWhatExceeds(): void {
    while (this.#bytes > MOST_BYTES && this.size > 0) this.#drop(this.#reads.size > 0 ? this.#reads : this.#others)
  }

  /** Drops the oldest of a ring; returns it if another request may use it. */
  #drop(ring: TrailRing): RecordedTrail | undefined {
    const oldest = ring.shift()
    const moved = oldest !== undefined && ring === this.#reads && oldest.code !== undefined && oldest.failure !== undefined
    if (oldest === undefined || moved) return undefined
    oldest.kept = false
    this.#bytes -= oldest.bytes
    // A failed read that leaves the others may still have its place among the reads.
    const usable = oldest.code !== undefined && (ring === this.#reads || !oldest.isRead)
    if (this.#indexedFor === 0) return usable ? oldest : undefined
    this.#byName.delete(oldest.name)
    this.writes.remove(oldest)
    this.causes.remove(oldest)
  }
}
