import sortedBTree from 'sorted-btree'
import { byText } from '../../base/by-text.ts'
import type { Logger } from '../../base/logger.ts'
import type { Later } from '../../base/steps.ts'
import { giveTurn } from '../../base/turns.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import type { Revision } from '../../storage/store.ts'
import type { BatchPool } from './batch-pool.ts'
import { CacheCounts } from './cache-counts.ts'
import type { CacheEvent } from './cache-event.ts'
import { DecodedItems } from './decoded-items.ts'
import { History } from './history.ts'
import { KeptStates } from './kept-states.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { type Lens, type LensHolder, type StoredBytes, StoredObject } from './stored-object.ts'
import { UnreadableObjects } from './unreadable-objects.ts'
import { type Filter, passes } from './view.ts'
import type { Batch } from './view-log.ts'
import { Watchers } from './watchers.ts'

const BTree = sortedBTree.default
type Tree = sortedBTree.default<string, StoredObject>

export type ChangeListener = (object: KubeObject | undefined, old: KubeObject | undefined) => void

const HISTORY = 16_384
/** Size of the map from key to object; it is cleared when full. */
const KNOWN_KEYS = 4096

export interface ResourceCacheInit {
  readonly group: string
  readonly resource: string
  /** Changes after this revision will be put into the cache. */
  readonly floor: Revision
  /** Up to which revision the store of these objects is known. */
  readonly reached: () => Revision
  /** Bounds the past that is kept, here and in all other caches. */
  readonly budget: MemoryBudget
  /** Shares the initial events of watches, across all caches. */
  readonly batches: BatchPool
  readonly log: Logger
  /** Objects keep no decoded form for long. */
  readonly cools?: boolean
}

/** Makes a cache that begins with the items of another one; afterwards the two change independently. Call it once. */
export type SharedItems = (init: ResourceCacheInit) => ResourceCache

interface SharedHolder extends LensHolder {
  lens: Lens | undefined
  sharedUpTo: Revision
  readonly decoded: DecodedItems
}

/** The watch cache of one stored resource: the present state in key order, the latest events, and the watchers. */
export class ResourceCache {
  readonly group: string
  readonly resource: string
  readonly history: History
  readonly watchers: Watchers
  readonly unreadable = new UnreadableObjects()
  readonly counts = new CacheCounts()
  readonly #log: Logger
  readonly #batches: BatchPool
  readonly #reached: () => Revision
  #tree: Tree = new BTree<string, StoredObject>(undefined, byText)
  /** A lookup by key of objects that were recently read or written: most requests address one object. */
  readonly #byKey = new Map<string, StoredObject>()
  /** The items refer to this holder instead of the cache, because in a copy they outlive the cache. */
  #holder: SharedHolder = { lens: undefined, sharedUpTo: 0, decoded: new DecodedItems() }
  readonly #listeners = new Set<ChangeListener>()
  /** The pages of one list are cut from one state. */
  readonly #kept: KeptStates<Tree>

  readonly #cools: boolean

  constructor({ group, resource, floor, reached, budget, batches, log, cools = false }: ResourceCacheInit) {
    this.#cools = cools
    this.group = group
    this.resource = resource
    this.#log = log
    this.#reached = reached
    this.#batches = batches
    this.#kept = new KeptStates<Tree>(budget)
    this.history = new History({ capacity: HISTORY, budget, floor, cools, onForget: (at) => this.watchers.forget(at) })
    const nodeOf = (item: StoredObject | undefined): string[] => {
      const name = item && readPath(item.object, ['spec', 'nodeName'])
      return [typeof name === 'string' ? name : '']
    }
    this.watchers = new Watchers(this.history, {
      'metadata.name': (e) => [e.item.name],
      ...(group === '' && resource === 'pods'
        ? { 'spec.nodeName': (e: CacheEvent) => [...new Set([...nodeOf(e.item), ...(e.previous ? nodeOf(e.previous) : [])])] }
        : {}),
    })
  }

  /** Everything up to this revision is in the cache. Resources of different stores have different revisions. */
  get revision(): Revision {
    return this.#reached()
  }

  get size(): number {
    return this.#tree.size
  }

  /** Reads all objects through this lens from now on (a definition changed). No event is sent, and revisions do not change. */
  readThrough(lens: Lens | undefined): void {
    this.#holder.lens = lens
  }

  /** The number of states that are kept for paginated lists. */
  get keptStates(): number {
    return this.#kept.size
  }

  get(key: string): StoredObject | undefined {
    const known = this.#byKey.get(key)
    if (known !== undefined || this.#byKey.size === this.#tree.size) return known
    const item = this.#tree.get(key)
    if (item !== undefined) this.#byKey.set(key, item)
    return item
  }

  /**
   * The present items, for the caches of other servers; nothing is copied until one of them changes. `lensed`: each server may read them
   * through its own lens, which costs a copy of each item's metadata.
   */
  share(upTo: Revision, lensed: boolean): SharedItems {
    const present = this.#tree.clone()
    const own = this.#holder
    if (!lensed) own.sharedUpTo = upTo
    return (init) => {
      const cache = new ResourceCache(init)
      const holder: SharedHolder = lensed ? { lens: undefined, sharedUpTo: 0, decoded: new DecodedItems() } : own
      cache.#tree = lensed ? present.mapValues((item) => item.seenBy(holder)) : present.clone()
      cache.#holder = holder
      return cache
    }
  }

  /** Makes an item of this resource. `object`: its decoded value, if it is known. */
  item(init: {
    readonly key: string
    readonly source: StoredBytes
    readonly revision: Revision
    readonly object?: KubeObject | undefined
  }): StoredObject {
    return new StoredObject({ ...init, holder: this.#holder })
  }

  /** Fills the cache at start. */
  load(item: StoredObject): void {
    this.counts.filled++
    this.#byKey.set(item.key, item)
    this.#tree.set(item.key, item)
  }

  /**
   * Replaces everything, because changes up to this revision were lost. Watches end: they would miss events. Listeners are called for what
   * differs.
   */
  restart(items: readonly StoredObject[], revision: Revision): void {
    const before = this.#tree
    this.counts.refilled(items.length)
    this.#tree = new BTree<string, StoredObject>(
      items.map((item) => [item.key, item]),
      byText,
    )
    this.#byKey.clear()
    this.history.restart(revision)
    this.#kept.forgetBefore(Number.POSITIVE_INFINITY)
    this.watchers.endAll('at-once')
    for (const item of before.values())
      if (!this.#tree.has(item.key) && item.isDecodable) this.#tell({ revision, kind: 'delete', item: item.at(revision), previous: item })
    for (const item of items) {
      const previous = before.get(item.key)
      if (previous?.revision !== item.revision) this.#tell({ revision: item.revision, kind: 'put', item, previous })
    }
  }

  /** Adds an object that could not be read before. It is older than the history, and an incomplete cache has no watchers. */
  recover(item: StoredObject): void {
    this.unreadable.delete(item.key)
    this.load(item)
    this.#tell({ revision: item.revision, kind: 'put', item, previous: undefined })
  }

  put(item: StoredObject): void {
    const known = this.get(item.key)
    const previous = known?.isDecodable === true ? known : undefined
    this.#byKey.set(item.key, item)
    this.#tree.set(item.key, item)
    this.#record({ revision: item.revision, kind: 'put', item, previous })
  }

  delete(key: string, revision: Revision): void {
    const previous = this.get(key)
    if (previous === undefined) return
    this.#byKey.delete(key)
    this.#tree.delete(key)
    // No watcher has seen a value that is no object.
    if (previous.isDecodable) this.#record({ revision, kind: 'delete', item: previous.at(revision), previous })
  }

  /**
   * Calls `listener` synchronously after each change. An exception of a listener is logged; it affects neither later calls nor other
   * listeners.
   * @returns a function that removes the listener
   */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Drops history and kept states older than the revision. */
  age(revision: Revision): void {
    this.history.forgetUpTo(revision)
    this.#kept.forgetBefore(revision)
    if (this.#byKey.size > KNOWN_KEYS) this.#byKey.clear()
    if (this.#cools) for (const item of this.#tree.values()) item.cool()
  }

  /** The items that are decoded. */
  get decoded(): DecodedItems {
    return this.#holder.decoded
  }

  #record(event: CacheEvent): void {
    this.counts.events++
    this.history.push(event)
    this.#kept.replaced(event.previous?.sizeBytes ?? 0)
    this.watchers.push(event)
    this.#tell(event)
  }

  #tell(event: CacheEvent): void {
    // Each read may decode: all listeners share one.
    let states: readonly [KubeObject | undefined, KubeObject | undefined] | undefined
    for (const listener of this.#listeners) {
      try {
        states ??= [event.kind === 'put' ? event.item.object : undefined, event.previous?.object]
        listener(...states)
      } catch (error) {
        const { group, resource } = this
        this.#log.error('a follower of a resource failed at one of its changes', { group, resource, key: event.item.key, error })
      }
    }
  }

  /** The items that match, in key order. */
  list(filter: Filter): StoredObject[] {
    const { items } = collect(this.#tree, { filter, from: '', limit: Number.POSITIVE_INFINITY })
    return items
  }

  /** ADDED events for the items from `start` on, up to one batch. Requests that follow shortly after share the batch. */
  initialBatch(items: readonly StoredObject[], start: number): Batch {
    return this.#batches.initial(items, start)
  }

  /** All items under the filter's prefix, in key order. The caller applies `matches` itself, in as many turns as it needs. */
  candidates(filter: Filter): StoredObject[] {
    const { matches: _, ...place } = filter
    return this.list(place)
  }

  /**
   * A page of the present state, which is kept for the following pages; `revision` names the state. A selector is applied to a bounded
   * number of objects per turn of the event loop; the page shows the state at the time of the call all the same.
   */
  firstPage(page: Page, revision: Revision): Later<PageResult> {
    const tree = this.#tree
    // Clone now: the tree changes while other work runs between turns.
    if (mayTakeLong(tree, page)) {
      const state = tree.clone()
      return collectInTurns(state, page).then((result) => {
        this.counts.listed(result.fetched, result.items.length)
        if (result.next !== undefined) this.#kept.keep(revision, () => state)
        return result
      })
    }
    const result = collect(tree, page)
    this.counts.listed(result.fetched, result.items.length)
    if (result.next !== undefined) this.#kept.keep(revision, () => tree.clone())
    return result
  }

  /** A page of an earlier state, if it is still kept. */
  nextPage(page: Page, revision: Revision): Later<PageResult> | undefined {
    const tree = this.#kept.get(revision)
    if (tree === undefined) return undefined
    return mayTakeLong(tree, page) ? collectInTurns(tree, page) : collect(tree, page)
  }
}

export interface Page {
  /** Any state will do, even one from before an object that cannot be decoded was written. */
  readonly anyState?: boolean
  readonly filter: Filter
  /** The first key; `''` begins with the first of all. */
  readonly from: string
  readonly limit: number
}

export interface PageResult {
  readonly items: StoredObject[]
  /** The last key of the page, if more follow. */
  readonly next: string | undefined
  /** The number of remaining items; undefined if a selector makes it expensive to count. */
  readonly remaining: number | undefined
}

/** A page of a tree, and the number of objects that were looked at. */
interface Collected extends PageResult {
  readonly fetched: number
}

/** Most objects that a selector is applied to in one turn of the event loop: each may have to be decoded. */
const TURN_OBJECTS = 512
/** Most stored bytes of such objects in one turn. */
const TURN_BYTES = 512 * 1024

const mayTakeLong = (tree: Tree, { filter }: Page) =>
  filter.prepare !== undefined || (filter.matches !== undefined && filter.exact === undefined && tree.size > TURN_OBJECTS)

async function collectInTurns(tree: Tree, { filter, from, limit }: Page): Promise<Collected> {
  const { matches: _, ...place } = filter
  const all = collect(tree, { filter: place, from, limit: Number.POSITIVE_INFINITY }).items
  const items: StoredObject[] = []
  let [objects, bytes] = [0, 0]
  for (const [i, item] of all.entries()) {
    if (items.length >= limit) return { items, next: items.at(-1)?.key, remaining: undefined, fetched: i }
    if (i % TURN_OBJECTS === 0) await filter.prepare?.(all.slice(i, i + TURN_OBJECTS))
    if (filter.matches?.(item) !== false) items.push(item)
    bytes += item.sizeBytes
    if (++objects < TURN_OBJECTS && bytes < TURN_BYTES) continue
    objects = 0
    bytes = 0
    await giveTurn()
  }
  return { items, next: undefined, remaining: undefined, fetched: all.length }
}

function collect(tree: Tree, { filter, from, limit }: Page): Collected {
  if (filter.exact !== undefined) {
    const item = tree.get(filter.exact)
    const items = item !== undefined && item.key >= from && passes(filter, item) ? [item] : []
    return { items, next: undefined, remaining: undefined, fetched: items.length }
  }
  const low = from > filter.prefix ? from : filter.prefix
  const high = endOf(filter.prefix)
  const items: StoredObject[] = []
  let fetched = 0
  let next: string | undefined
  let following = ''
  const visit = (key: string, item: StoredObject) => {
    if (items.length < limit) {
      fetched++
      if (filter.matches === undefined || filter.matches(item)) items.push(item)
      return undefined
    }
    next = items.at(-1)?.key
    following = key
    return BREAK
  }
  tree.forRange(low, high, false, visit)
  if (next === undefined || filter.matches !== undefined) return { items, next, remaining: undefined, fetched }
  // Without a visitor, the tree counts whole leaves.
  return { items, next, remaining: tree.forRange(following, high, false), fetched }
}

const BREAK = { break: true }

/** The least string that sorts after all keys with the prefix. Namespace prefixes end in a slash, so the next character does. */
const endOf = (prefix: string) =>
  prefix === '' ? '\uffff' : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
