import type { Cancel } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { LISTED_REPORTS } from '../../../resources/bowsprit/recorded-reports.ts'
import type { KindEntry } from '../../wire/overview.ts'
import type { KindCatalogue } from '../kinds/kind-catalogue.ts'
import type { Collection } from '../rows/collection.ts'
import type { Collections, HeldCollection } from '../rows/collections.ts'

/** Kinds that change all the time (reports: with each request of the page), or that are copies of others: they would drown the rest. */
const LEFT_OUT = new Set([
  'leases.coordination.k8s.io',
  'events.events.k8s.io',
  'endpoints.',
  'componentstatuses.',
  ...LISTED_REPORTS.map(({ names, group }) => `${names.plural}.${group}`),
])

/** So many collections are opened at once: each is a list. */
const OPEN_AT_ONCE = 6

/** Called with the collections that are new since the last call. */
export type IndexListener = (collections: readonly Collection[]) => void

/** Rows of all kinds, for the overview, the search and relations; read while one of them is looked at. */
export class ClusterIndex {
  readonly #catalogue: KindCatalogue
  readonly #collections: Collections
  readonly #held = new Map<string, HeldCollection>()
  readonly #listeners = new Set<IndexListener>()
  #opening: Promise<void> | undefined
  /** What is being opened was begun before collections were dropped, or kinds installed: it is followed by another look. */
  #again = false
  /** Kinds whose columns could not be read, and why. */
  problem = ''

  constructor(catalogue: KindCatalogue, collections: Collections) {
    this.#catalogue = catalogue
    this.#collections = collections
  }

  get collections(): readonly Collection[] {
    return [...this.#held.values()].map(({ collection }) => collection)
  }

  /** Some collections are not complete yet. */
  get loading(): number {
    const open = this.collections.filter(({ loading, problem }) => loading && problem === '').length
    return this.#opening === undefined ? open : Math.max(1, open)
  }

  /** Opens the collections, if they are not open yet; `listener` gets those that are open and each new one. */
  look(listener: IndexListener): Cancel {
    this.#listeners.add(listener)
    listener(this.collections)
    this.refresh()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  /** Looks for kinds that have been installed since. */
  refresh(): void {
    if (this.#opening !== undefined) {
      this.#again = true
      return
    }
    this.#opening = this.#open()
      .then(() => {
        this.problem = ''
      })
      .catch((error: unknown) => {
        this.problem = messageOf(error)
      })
      .finally(() => {
        this.#opening = undefined
        if (this.#again && this.#listeners.size > 0) this.refresh()
        this.#again = false
        for (const listener of this.#listeners) listener([])
      })
  }

  stop(): void {
    for (const { release } of this.#held.values()) release()
    this.#held.clear()
  }

  async #open(): Promise<void> {
    const kinds = await this.#catalogue.kinds()
    const served = new Set(kinds.map(keyOf))
    for (const [key, { release }] of this.#held)
      if (!served.has(key)) {
        release()
        this.#held.delete(key)
      }
    const missing = kinds.filter((kind) => !LEFT_OUT.has(`${kind.resource}.${kind.group}`) && !this.#held.has(keyOf(kind)))
    const next = async (): Promise<void> => {
      for (let kind = missing.shift(); kind !== undefined; kind = missing.shift()) await this.#hold(kind)
    }
    await Promise.all(Array.from({ length: OPEN_AT_ONCE }, next))
  }

  async #hold(kind: KindEntry): Promise<void> {
    const columns = await this.#catalogue.columns(kind)
    // Two looks may have found the same kind.
    if (this.#listeners.size === 0 || this.#held.has(keyOf(kind))) return
    const held = this.#collections.hold(kind, columns)
    this.#held.set(keyOf(kind), held)
    for (const listener of this.#listeners) listener([held.collection])
  }
}

const keyOf = ({ group, version, resource }: KindEntry): string => `${group}/${version}/${resource}`
