import type { ClientMessage } from '../../wire/messages.ts'
import type { ObjectSummary } from '../../wire/object-name.ts'
import type { Collection } from '../rows/collection.ts'
import type { Row } from '../rows/row.ts'
import type { ClusterIndex } from './cluster-index.ts'
import { IndexSubscription } from './index-subscription.ts'
import { summaryOfRow } from './overview-subscription.ts'

/** The most objects that are found: what is looked for is among the first, or the words have to be more. */
const MAX_FOUND = 50

/** Objects of all kinds whose kind, namespace, name and labels contain all words. */
export class FindSubscription extends IndexSubscription {
  readonly everyMs = 200
  readonly #id: number
  #words: readonly string[]

  constructor(index: ClusterIndex, of: { readonly id: number; readonly text: string }, changed: () => void) {
    super(index, changed)
    this.#id = of.id
    this.#words = wordsOf(of.text)
  }

  /** More was typed. */
  ask(message: ClientMessage): boolean {
    if (message.type !== 'find') return false
    this.#words = wordsOf(message.text)
    return true
  }

  next() {
    const loading = this.index.loading > 0
    return { type: 'found', id: this.#id, objects: findObjects(this.index.collections, this.#words), loading } as const
  }
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[\s/]+/)
    .filter((word) => word !== '')

/** The best first: the name itself, then names that begin so, then others, then events. */
export function findObjects(collections: readonly Collection[], words: readonly string[]): readonly ObjectSummary[] {
  if (words.length === 0) return []
  const found: Hit[] = []
  for (const collection of collections) {
    const kind = `${collection.deps.kind.kind} ${collection.deps.kind.resource}`.toLowerCase()
    // Words that name the kind need not be in the row.
    const own = words.filter((word) => !kind.includes(word))
    for (const row of collection.rows.values())
      if (matches(row, words, own)) keepBest(found, { collection, row, rank: rankOf(collection, row, words) })
  }
  return found.map(({ collection, row }) => summaryOfRow(collection, row))
}

interface Hit {
  readonly collection: Collection
  readonly row: Row
  readonly rank: number
}

const isBefore = (a: Hit, b: Hit): boolean => a.rank < b.rank || (a.rank === b.rank && a.row.key < b.row.key)

/** Inserts a hit among the best, in order: to sort all of them takes longer than to find them. */
function keepBest(best: Hit[], hit: Hit): void {
  const worst = best.at(-1)
  if (best.length === MAX_FOUND && worst !== undefined && !isBefore(hit, worst)) return
  const at = best.findIndex((each) => isBefore(hit, each))
  best.splice(at < 0 ? best.length : at, 0, hit)
  if (best.length > MAX_FOUND) best.pop()
}

function matches(row: Row, words: readonly string[], own: readonly string[]): boolean {
  const has = (word: string) => row.foundBy.includes(word)
  return words.every(has) || (own.length < words.length && own.every(has))
}

function rankOf({ deps }: Collection, { name }: Row, words: readonly string[]): number {
  // Events are called like what they are about.
  if (deps.kind.resource === 'events') return 3
  if (words.includes(name)) return 0
  return words.some((word) => name.startsWith(word)) ? 1 : 2
}
