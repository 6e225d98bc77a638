import { READ_VERBS } from '../request/read-verbs.ts'
import type { RecordedTrail } from './recorded-trail.ts'

/** Which recorded request caused which others: by the revision that it stored. */
export class CausedRequests {
  readonly #byRevision = new Map<number, RecordedTrail>()
  readonly #caused = new Map<number, Set<RecordedTrail>>()

  /** The request has stored a revision; one that changed nothing has that of another request. */
  stored(trail: RecordedTrail): void {
    const revision = trail.storedRevision
    if (revision !== undefined && !this.#byRevision.has(revision)) this.#byRevision.set(revision, trail)
  }

  /** A write that a controller sent because of an event; returns the request that caused it. */
  add(trail: RecordedTrail): RecordedTrail | undefined {
    if (trail.cause === undefined || READ_VERBS.has(trail.info.verb)) return undefined
    const revision = Number(trail.cause.revision)
    const caused = this.#caused.get(revision)
    if (caused === undefined) this.#caused.set(revision, new Set([trail]))
    else caused.add(trail)
    return this.#byRevision.get(revision)
  }

  remove(trail: RecordedTrail): void {
    const { storedRevision = 0, cause } = trail
    if (this.#byRevision.get(storedRevision) === trail) this.#byRevision.delete(storedRevision)
    const causedBy = Number(cause?.revision ?? 0)
    const siblings = this.#caused.get(causedBy)
    if (siblings?.delete(trail) && siblings.size === 0) this.#caused.delete(causedBy)
  }

  clear(): void {
    this.#byRevision.clear()
    this.#caused.clear()
  }

  /** The request that stored a revision. */
  storedBy(revision: string): RecordedTrail | undefined {
    return this.#byRevision.get(Number(revision))
  }

  /** The writes that a request caused. */
  of(trail: RecordedTrail): readonly RecordedTrail[] {
    const revision = trail.storedRevision ?? 0
    return this.#byRevision.get(revision) === trail ? [...(this.#caused.get(revision) ?? [])] : []
  }
}
