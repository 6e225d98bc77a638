import { byText } from '../../base/by-text.ts'
import { giveTurn } from '../../base/turns.ts'
import type { Entry, Revision, Store } from '../../storage/store.ts'
import type { Page, PageResult, ResourceCache } from './resource-cache.ts'
import type { StoredObject } from './stored-object.ts'
import { passes } from './view.ts'

/** Number of entries read from the store at once. */
const PORTION = 1000

export interface PastPageInit {
  readonly store: Store
  readonly cache: ResourceCache
  /** The store prefixes of the resource. */
  readonly prefixes: readonly string[]
}

/**
 * A page of a state that only the store still has. Throws a `StoreError` with code `compacted` if the store has dropped it, too. Reads no
 * more entries than the page needs.
 */
export async function pastPage(init: PastPageInit, page: Page, revision: Revision): Promise<PageResult> {
  const { filter, limit } = page
  const items: StoredObject[] = []
  let remaining = 0
  let more = false
  for (const prefix of init.prefixes) {
    const found = await readOn(init, prefix, page, revision)
    items.push(...found.items)
    remaining += found.remaining
    more ||= found.more
  }
  if (init.prefixes.length > 1) items.sort((a, b) => byText(a.key, b.key))
  if (items.length > limit) {
    more = true
    remaining += items.length - limit
    items.length = limit
  }
  return { items, next: more ? items.at(-1)?.key : undefined, remaining: more && filter.matches === undefined ? remaining : undefined }
}

async function readOn({ store, cache }: PastPageInit, prefix: string, { filter, from, limit }: Page, revision: Revision) {
  const within = prefix + (filter.exact ?? filter.prefix)
  const items: StoredObject[] = []
  let start = prefix + from
  if (start < within) start = within
  for (;;) {
    const wanted = Math.min(PORTION, Number.isFinite(limit) ? limit - items.length + 1 : PORTION)
    const range = await store.range(within, { revision, from: start, limit: wanted })
    const found = range.entries.map(itemOf)
    await filter.prepare?.(found)
    for (const [i, item] of found.entries()) {
      if (!passes(filter, item)) continue
      items.push(item)
      if (items.length > limit) return { items, more: true, remaining: range.entries.length - 1 - i + range.remaining }
    }
    const last = range.entries.at(-1)
    if (!range.more || last === undefined) return { items, more: false, remaining: 0 }
    start = `${last.key}\u0000`
    await giveTurn()
  }

  function itemOf(entry: Entry): StoredObject {
    return cache.item({ key: entry.key.slice(prefix.length), source: entry, revision: entry.revision })
  }
}
