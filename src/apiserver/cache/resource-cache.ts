import sortedBTree from 'sorted-btree'
import type { KubeObject } from '../../machinery/object.ts'
import type { Revision } from '../../storage/store.ts'
import type { CacheEvent } from './cache-event.ts'
import { History } from './history.ts'
import type { Item } from './item.ts'
import { type Filter, passes } from './view.ts'
import { Watchers } from './watchers.ts'

const BTree = sortedBTree.default
type Tree = sortedBTree.default<string, Item>

export type ChangeListener = (object: KubeObject | undefined, old: KubeObject | undefined) => void

const HISTORY = 16_384
const SNAPSHOTS = 8

/** Everything this server knows of one stored resource: the present state in key order, the latest events, and who watches. */
export class ResourceCache {
  readonly group: string
  readonly resource: string
  readonly history: History
  readonly watchers: Watchers
  #tree: Tree = new BTree<string, Item>(undefined, byText)
  readonly #listeners = new Set<ChangeListener>()
  /** Pages of one list are cut from one state: the states that lists in progress still need, oldest first. */
  readonly #snapshots = new Map<Revision, Tree>()

  constructor(group: string, resource: string, floor: Revision) {
    this.group = group
    this.resource = resource
    this.history = new History(HISTORY, floor)
    const nodeOf = (item: Item | undefined): string[] => {
      const name: unknown = item?.object.spec?.nodeName
      return [typeof name === 'string' ? name : '']
    }
    this.watchers = new Watchers(this.history, {
      'metadata.name': (e) => [e.item.name],
      ...(group === '' && resource === 'pods'
        ? { 'spec.nodeName': (e: CacheEvent) => [...new Set([...nodeOf(e.item), ...(e.previous ? nodeOf(e.previous) : [])])] }
        : {}),
    })
  }

  get size(): number {
    return this.#tree.size
  }

  get(key: string): Item | undefined {
    return this.#tree.get(key)
  }

  /** Fills the cache at start. */
  load(item: Item): void {
    this.#tree.set(item.key, item)
  }

  put(item: Item): void {
    const previous = this.#tree.get(item.key)
    this.#tree.set(item.key, item)
    this.#record({ revision: item.revision, kind: 'put', item, previous })
  }

  delete(key: string, revision: Revision): void {
    const previous = this.#tree.get(key)
    if (previous === undefined) return
    this.#tree.delete(key)
    this.#record({ revision, kind: 'delete', item: previous.at(revision), previous })
  }

  /** Shows present objects in another form (a definition changed): no event tells of it, and revisions stay. */
  rewrite(change: (item: Item) => Item | undefined): void {
    for (const item of [...this.#tree.values()]) {
      const changed = change(item)
      if (changed !== undefined) this.#tree.set(item.key, changed)
    }
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #record(event: CacheEvent): void {
    this.history.push(event)
    this.watchers.push(event)
    for (const listener of this.#listeners) listener(event.kind === 'put' ? event.item.object : undefined, event.previous?.object)
  }

  /** The items that pass, in key order. */
  list(filter: Filter): Item[] {
    const { items } = collect(this.#tree, { filter, from: '', limit: Number.POSITIVE_INFINITY })
    return items
  }

  /** A page of the present state, kept for the pages to follow; `revision` names the state. */
  firstPage(page: Page, revision: Revision): PageResult {
    const result = collect(this.#tree, page)
    if (result.next !== undefined && !this.#snapshots.has(revision)) {
      this.#snapshots.set(revision, this.#tree.clone())
      if (this.#snapshots.size > SNAPSHOTS) this.#snapshots.delete(this.#snapshots.keys().next().value ?? 0)
    }
    return result
  }

  /** A page of an earlier state, if it is still kept. */
  nextPage(page: Page, revision: Revision): PageResult | undefined {
    const tree = this.#snapshots.get(revision)
    return tree === undefined ? undefined : collect(tree, page)
  }
}

export interface Page {
  readonly filter: Filter
  /** Begin with this key. `''` begins with the first. */
  readonly from: string
  readonly limit: number
}

export interface PageResult {
  readonly items: Item[]
  /** The last key given, when there is more behind it. */
  readonly next: string | undefined
  /** How many follow; undefined when a selector makes that costly to know. */
  readonly remaining: number | undefined
}

function collect(tree: Tree, { filter, from, limit }: Page): PageResult {
  if (filter.exact !== undefined) {
    const item = tree.get(filter.exact)
    return { items: item !== undefined && item.key >= from && passes(filter, item) ? [item] : [], next: undefined, remaining: undefined }
  }
  const low = from > filter.prefix ? from : filter.prefix
  const items: Item[] = []
  let next: string | undefined
  let remaining = 0
  const visit = (_key: string, item: Item) => {
    if (items.length < limit) {
      if (filter.matches === undefined || filter.matches(item)) items.push(item)
      return undefined
    }
    next = items.at(-1)?.key
    if (filter.matches !== undefined) return BREAK
    remaining++
    return undefined
  }
  tree.forRange(low, endOf(filter.prefix), false, visit)
  if (next !== undefined && filter.matches !== undefined) return { items, next, remaining: undefined }
  return { items, next, remaining: next === undefined ? undefined : remaining }
}

const BREAK = { break: true }

/** A text behind all keys that begin with the prefix. Namespaces end in a slash, so that the next character does. */
const endOf = (prefix: string) =>
  prefix === '' ? '\uffff' : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
