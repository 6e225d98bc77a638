import type { Clock } from '../../../base/clock.ts'
import { apiVersionOf, type KubeObject } from '../../../machinery/object.ts'
import type { Client, WatchEvent } from '../../../sdk/client/client.ts'
import type { KindEntry } from '../../wire/overview.ts'
import type { CellColumn } from './cell-columns.ts'
import { reflectPages } from './reflect-pages.ts'
import { cellsOf, type Row, rowId, rowOf } from './row.ts'

/** What a collection holds, and where its objects come from. */
export interface CollectionDeps {
  readonly client: Client
  readonly clock: Clock
  readonly kind: KindEntry
  readonly columns: readonly CellColumn[]
  /** `''`: all. */
  readonly namespace: string
  readonly labelSelector: string
  readonly fieldSelector: string
}

/** Called with each change: a row that is new (`created`), or has changed, or is gone; undefined: the state of the collection has. */
export type RowListener = (row: Row | undefined, change: 'created' | 'changed' | 'deleted') => void

/** The rows of a collection, kept by list and watch while somebody looks. */
export class Collection {
  readonly deps: CollectionDeps
  readonly rows = new Map<string, Row>()
  /** The first list is not complete. */
  loading = true
  problem = ''
  readonly #listeners = new Set<RowListener>()
  readonly #stop = new AbortController()
  /** Rows that the list which is being read has named. */
  #named = new Set<string>()

  constructor(deps: CollectionDeps) {
    this.deps = deps
    const { client, clock, kind, namespace, labelSelector, fieldSelector } = deps
    const { group, version, resource } = kind
    const target = { group, version, resource, ...(namespace !== '' && { namespace }) }
    const options = { client, clock, target, labelSelector, fieldSelector }
    void reflectPages(
      options,
      {
        put: (objects, listed) => this.#putPage(objects, listed),
        listed: () => this.#listed(),
        apply: (event) => this.#apply(event),
        problem: (text) => this.#report(text),
      },
      this.#stop.signal,
    )
  }

  stop(): void {
    this.#stop.abort()
  }

  listen(listener: RowListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Makes the cells anew that tell spans until now. */
  refresh(row: Row): void {
    if (row.object !== undefined) row.cells = cellsOf(row.object, this.deps.columns, this.deps.clock.now())
  }

  #putPage(objects: readonly Readonly<KubeObject>[], kind: string): void {
    const apiVersion = apiVersionOf(this.deps.kind)
    for (const object of objects) {
      // Items of built-in lists do not say what they are.
      const whole = object.kind === undefined ? { ...object, apiVersion, kind } : object
      this.#named.add(rowId(object))
      this.#put(whole)
    }
    this.#tell(undefined, 'changed')
  }

  #listed(): void {
    for (const [uid, row] of this.rows) if (!this.#named.has(uid)) this.#remove(row)
    this.#named = new Set()
    this.loading = false
    this.#tell(undefined, 'changed')
  }

  #apply({ type, object }: WatchEvent): void {
    if (type === 'BOOKMARK') return
    if (type !== 'DELETED') {
      this.#put(object)
      return
    }
    const row = this.rows.get(rowId(object))
    if (row !== undefined) this.#remove(row)
  }

  #put(object: KubeObject): void {
    const uid = rowId(object)
    const known = this.rows.get(uid)
    const row = rowOf(object, this.deps.columns, this.deps.clock.now(), known)
    if (known === undefined) this.rows.set(uid, row)
    this.#tell(row, known === undefined ? 'created' : 'changed')
  }

  #remove(row: Row): void {
    this.rows.delete(row.uid)
    this.#tell(row, 'deleted')
  }

  #report(problem: string): void {
    if (problem === this.problem) return
    this.problem = problem
    this.#tell(undefined, 'changed')
  }

  #tell(row: Row | undefined, change: 'created' | 'changed' | 'deleted'): void {
    for (const listener of this.#listeners) listener(row, change)
  }
}
