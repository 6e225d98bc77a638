import type { Clock } from '../../base/clock.ts'
import { afterCallback, nextTurn } from '../../base/turns.ts'
import { Engine, type EngineConfig } from '../engine.ts'
import type { Journal, JournalListener } from '../journal.ts'
import { Keyspace } from '../keyspace.ts'
import type { LocalStore, Revision } from '../store.ts'

/** Its own for the time being; the names of both engines read alike. */
export type MemoryConfig = EngineConfig

export interface MemoryDeps {
  readonly clock: Clock
}

/** A store that lives as long as the process. */
export interface MemoryStore extends LocalStore {
  /** An independent store with the same state. Costs nothing until one of the two changes. It does not contain pending commits. */
  fork(): MemoryStore
}

/**
 * Opens a store in memory, for tests and for clusters that need not last: an empty one, or one that begins with these keys, which belong to
 * it from then on.
 */
export function openMemoryStore(config: MemoryConfig = {}, deps: MemoryDeps, keyspace = new Keyspace()): MemoryStore {
  return new MemoryEngine(config, deps, keyspace)
}

class MemoryEngine extends Engine implements MemoryStore {
  readonly #config: MemoryConfig
  readonly #deps: MemoryDeps

  constructor(config: MemoryConfig, deps: MemoryDeps, keyspace: Keyspace) {
    super(config, { clock: deps.clock, keyspace, openJournal: (listener) => new NoJournal(listener) })
    this.#config = config
    this.#deps = deps
  }

  fork(): MemoryStore {
    return new MemoryEngine(this.#config, this.#deps, this.snapshot())
  }
}

/** After so many commits in one turn of the event loop, the others get their turn first. */
const TURN = 64

/**
 * Persists nothing. Commits are "durable" when all promises of the running callback are fulfilled or rejected: that batches concurrent
 * commits, and still lets a chain of commits finish before a virtual clock advances.
 */
class NoJournal implements Journal {
  readonly #listener: JournalListener
  #last: Revision | undefined
  /** Commits since the event loop last turned. */
  #inTurn = 0

  constructor(listener: JournalListener) {
    this.#listener = listener
  }

  append({ revision }: { readonly revision: Revision }): void {
    if (this.#last === undefined) {
      if (this.#inTurn < TURN) afterCallback(() => this.#flush())
      else nextTurn(() => this.#flush())
    }
    this.#last = revision
    if (this.#inTurn === 0) nextTurn(() => this.#turn())
    this.#inTurn++
  }

  forget(): void {}

  async close(): Promise<void> {
    this.#flush()
  }

  #turn(): void {
    this.#inTurn = 0
  }

  #flush(): void {
    if (this.#last === undefined) return
    const last = this.#last
    this.#last = undefined
    this.#listener.durable(last)
  }
}
