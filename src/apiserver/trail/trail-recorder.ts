import type { Clock } from '../../base/clock.ts'
import { ChangeLog } from '../../base/collections/change-log.ts'
import type { Random } from '../../base/random.ts'
import type { Request } from '../request/request.ts'
import { CausedRequests } from './caused-requests.ts'
import { RecordedTrail, type TrailKeeper } from './recorded-trail.ts'
import { RecordedWrites } from './recorded-writes.ts'
import { TrailQueue } from './trail-queue.ts'

/** Most requests that are kept, and most bytes of all of them. */
const MOST_TRAILS = 5000
const MOST_BYTES = 16 * 1024 * 1024
/**
 * Most reads beside these that succeed: there are many of them, and they change nothing. So few are dropped before V8 moves them to the
 * objects that live long: with 5,000 a GET took 12 µs more.
 */
const MOST_READS = 500

/** An audit id that may be the name of an object; a client may choose any text. */
const USABLE_ID = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** Keeps the facts of the last requests, within a bound in number and bytes. */
export class TrailRecorder implements TrailKeeper {
  /** In which order trails were announced and changed. */
  readonly changes: ChangeLog
  readonly writes: RecordedWrites
  readonly causes = new CausedRequests()
  readonly #deps: { readonly clock: Clock; readonly random: Random }
  readonly #byName = new Map<string, RecordedTrail>()
  readonly #reads = new TrailQueue()
  readonly #others = new TrailQueue()
  #bytes = 0
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
    return this.#byName.size
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
    const { random } = this.#deps
    const id = request.auditId || random.uuid()
    const name = USABLE_ID.test(id) && !this.#byName.has(id) ? id : random.uuid()
    const trail = new RecordedTrail(request, { name, id }, this)
    this.#byName.set(name, trail)
    this.#queueOf(trail).push(trail)
    this.#bytes += trail.bytes
    this.#dropSome()
    return trail
  }

  /** The names of all trails, the oldest first. */
  names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  of(name: string): RecordedTrail | undefined {
    return this.#byName.get(name)
  }

  /** Details are recorded until the result is disposed of. */
  watched(): Disposable {
    this.#readers++
    return { [Symbol.dispose]: () => void this.#readers-- }
  }

  changed(trail: RecordedTrail): void {
    if (!this.#byName.has(trail.name)) return
    trail.revision = this.changes.note(trail.name)
    if (trail.since === 0) trail.since = trail.revision
  }

  completed(trail: RecordedTrail): void {
    if (!this.#byName.has(trail.name)) return
    this.changed(trail)
    if (trail.failure !== undefined) this.#keepFailed(trail)
    this.writes.add(trail)
    this.causes.stored(trail)
    const cause = this.causes.add(trail)
    if (cause !== undefined) this.changed(cause)
  }

  grown(trail: RecordedTrail, bytes: number): void {
    if (!this.#byName.has(trail.name)) return
    this.#bytes += bytes
    this.#dropSome()
  }

  #queueOf(trail: RecordedTrail): TrailQueue {
    return trail.isRead && trail.failure === undefined ? this.#reads : this.#others
  }

  /** A read that has failed is kept as long as a write; its turn among the reads passes. */
  #keepFailed(trail: RecordedTrail): void {
    if (!trail.isRead) return
    this.#others.push(trail)
    this.#dropSome()
  }

  #dropSome(): void {
    while (this.#reads.size > MOST_READS) this.#drop(this.#reads)
    while (this.#others.size > MOST_TRAILS) this.#drop(this.#others)
    while (this.#bytes > MOST_BYTES && this.#byName.size > 0) this.#drop(this.#reads.size > 0 ? this.#reads : this.#others)
  }

  #drop(queue: TrailQueue): void {
    const oldest = queue.shift()
    if (oldest === undefined || this.#queueOf(oldest) !== queue) return
    this.#byName.delete(oldest.name)
    this.writes.remove(oldest)
    this.causes.remove(oldest)
    this.#bytes -= oldest.bytes
  }
}
