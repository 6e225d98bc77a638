import type { Revision } from './store.ts'

/** Remembers the revision at certain times, to know which revisions are older than a given time. */
export class RevisionAges {
  readonly #marks: { readonly atMs: number; readonly revision: Revision }[] = []

  /** `revision` is the latest one at `nowMs`. */
  note(nowMs: number, revision: Revision): void {
    if (this.#marks.at(-1)?.revision !== revision) this.#marks.push({ atMs: nowMs, revision })
  }

  /** The latest revision that existed `ageMs` ago; 0 for none. */
  olderThan(nowMs: number, ageMs: number): Revision {
    let aged = 0
    while (this.#marks[0] !== undefined && this.#marks[0].atMs + ageMs <= nowMs) aged = this.#marks.shift()?.revision ?? aged
    return aged
  }
}
