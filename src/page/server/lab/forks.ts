import type { Clock } from '../../../base/clock.ts'
import type { Client } from '../../../sdk/client/client.ts'

/** Another cluster with the state of this one. */
export interface ForkedCluster extends AsyncDisposable {
  client(): Client
}

/** What can be done with a whole cluster of this process. */
export interface Laboratory {
  fork(): Promise<ForkedCluster>
  /** The state of the cluster as a file, for `bowsprit up --from`. */
  snapshot(): Promise<Buffer>
  /** Moves the cluster's clock; undefined: its time is the machine's. */
  readonly advance?: (ms: number) => Promise<void>
}

/** A fork that is kept. */
export interface Fork {
  readonly name: string
  /** Why it was made. */
  readonly about: string
  readonly createdMs: number
  readonly client: Client
}

interface KeptFork extends Fork {
  readonly cluster: ForkedCluster
}

/** The most forks at once: each is a cluster. */
const MAX_FORKS = 4

/** The forks that browsers have made, until they are thrown away. */
export class Forks {
  readonly #lab: Laboratory
  readonly #clock: Clock
  readonly #forks = new Map<string, KeptFork>()
  readonly #listeners = new Set<() => void>()
  #making = 0
  #last = 0

  constructor(lab: Laboratory, clock: Clock) {
    this.#lab = lab
    this.#clock = clock
  }

  list(): readonly Fork[] {
    return [...this.#forks.values()]
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws {Error} if there are too many */
  async make(about: string): Promise<Fork> {
    if (this.#forks.size + this.#making >= MAX_FORKS) throw new Error(`there are ${MAX_FORKS} forks already: throw one away`)
    this.#making++
    try {
      const cluster = await this.#lab.fork()
      const fork = { name: `fork-${++this.#last}`, about, createdMs: this.#clock.now(), client: cluster.client(), cluster }
      this.#forks.set(fork.name, fork)
      this.#tell()
      return fork
    } finally {
      this.#making--
    }
  }

  /** Ends a fork; of an unknown one nothing is left to be done. */
  async drop(name: string): Promise<void> {
    const fork = this.#forks.get(name)
    if (fork === undefined) return
    this.#forks.delete(name)
    this.#tell()
    await fork.cluster[Symbol.asyncDispose]()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#forks.keys()].map((name) => this.drop(name)))
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
