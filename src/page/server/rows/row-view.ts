import type { Clock } from '../../../base/clock.ts'
import type { Cell, RowPage, RowsQuery, WireRow } from '../../wire/row-page.ts'
import type { Collection } from './collection.ts'
import type { Row } from './row.ts'

/** A sort may take at most this part of the time: the next one waits so many times as long as the last one took. */
const SORT_SHARE = 10

/** A window of a collection's rows: filtered, sorted, and sent when something in it has changed. */
export class RowView {
  readonly #collection: Collection
  readonly #clock: Clock
  readonly #changed: () => void
  readonly #unlisten: () => void
  #query: RowsQuery
  #words: readonly string[]
  #order: Row[] = []
  #shown = new Set<string>()
  #stale = true
  #sortAgainMs = 0

  constructor(collection: Collection, query: RowsQuery, deps: { readonly clock: Clock; changed(): void }) {
    this.#collection = collection
    this.#query = query
    this.#words = wordsOf(query.filter)
    this.#clock = deps.clock
    this.#changed = deps.changed
    this.#unlisten = collection.listen((row, change) => this.#see(row, change))
  }

  stop(): void {
    this.#unlisten()
  }

  /** Another window, order or filter of the same collection. */
  ask(query: RowsQuery): void {
    const { filter, sort, descending } = this.#query
    if (filter !== query.filter || sort !== query.sort || descending !== query.descending) {
      this.#stale = true
      this.#sortAgainMs = 0
    }
    this.#query = query
    this.#words = wordsOf(query.filter)
    this.#changed()
  }

  /** What the browser shows now; undefined: the order is not up to date, and will be at a later frame. */
  page(): RowPage {
    const nowMs = this.#clock.monotonic()
    if (this.#stale && nowMs >= this.#sortAgainMs) {
      this.#arrange()
      this.#sortAgainMs = nowMs + SORT_SHARE * (this.#clock.monotonic() - nowMs)
    } else if (this.#stale) this.#clock.after(this.#sortAgainMs - nowMs, this.#changed)
    const { deps, rows, loading, problem } = this.#collection
    const from = Math.max(0, Math.min(this.#query.from, this.#order.length - 1))
    const window = this.#order.slice(from, from + this.#query.count)
    for (const row of window) this.#collection.refresh(row)
    this.#shown = new Set(window.map((row) => row.uid))
    return {
      kind: deps.kind.kind,
      namespaced: deps.kind.namespaced,
      columns: deps.columns.map((column) => column.head),
      rows: window.map(({ uid, namespace, name, tone, cells }): WireRow => [uid, namespace, name, tone, cells]),
      from,
      matched: this.#order.length,
      total: rows.size,
      loading,
      problem,
    }
  }

  #see(row: Row | undefined, change: 'created' | 'changed' | 'deleted'): void {
    if (row === undefined || change !== 'changed') this.#stale = true
    else if (this.#words.length > 0 || this.#query.sort >= 0) this.#stale = true
    else if (!this.#shown.has(row.uid)) return
    this.#changed()
  }

  #arrange(): void {
    const words = this.#words
    const all = [...this.#collection.rows.values()]
    this.#order = words.length === 0 ? all : all.filter(({ text }) => words.every((word) => text.includes(word)))
    this.#order.sort(orderOf(this.#query))
    this.#stale = false
  }
}

const wordsOf = (filter: string): readonly string[] =>
  filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

function orderOf({ sort, descending }: RowsQuery): (a: Row, b: Row) => number {
  const byName = (a: Row, b: Row) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  const way = descending ? -1 : 1
  if (sort < 0) return (a, b) => way * byName(a, b)
  return (a, b) => way * compareCells(a.cells[sort] ?? null, b.cells[sort] ?? null) || byName(a, b)
}

const LEADING_NUMBER = /^-?\d+(\.\d+)?/

/** Numbers by value, also those that a text begins with (`3/3`, `10Gi`); other texts by their characters; nothing last. */
function compareCells(a: Cell, b: Cell): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a), String(b)]
  const [leftNumber, rightNumber] = [LEADING_NUMBER.exec(left), LEADING_NUMBER.exec(right)]
  if (leftNumber !== null && rightNumber !== null) return Number(leftNumber[0]) - Number(rightNumber[0]) || (left < right ? -1 : 1)
  return left < right ? -1 : 1
}
