import type { CacheEvent, ViewEvent } from './cache-event.ts'
import type { StoredObject } from './stored-object.ts'

/** Selects objects of a resource. */
export interface Filter {
  /** Filters with equal keys are equal. */
  readonly key: string
  /** Prefix of the keys (`namespace/`, or a whole key); `''` selects all. */
  readonly prefix: string
  /** A whole key: selects one object. */
  readonly exact?: string
  /** Absent: everything under the prefix matches. */
  readonly matches?: (item: StoredObject) => boolean
  /** Prepares items for `matches`, for example by converting them; undefined if none needs it. */
  readonly prepare?: (items: readonly StoredObject[]) => Promise<void> | undefined
  /** Set if the filter matches only objects whose indexed field has this value (`spec.nodeName`): other events do not touch the view. */
  readonly index?: { readonly field: string; readonly value: string }
}

/** The filter's prefix without its condition: for callers that must `prepare` items before they apply the condition themselves. */
export function withoutMatching({ matches: _, prepare: __, ...filter }: Filter): Filter {
  return { ...filter, key: `${filter.prefix}|${filter.exact ?? ''}|${filter.index?.field ?? ''}=${filter.index?.value ?? ''}|all` }
}

/** The event as a view with the filter's condition sees it. Its objects must have been prepared. */
export function choose({ matches }: Filter, event: ViewEvent): ViewEvent | undefined {
  if (matches === undefined) return event
  const { type, item, revision, previous } = event
  const has = matches(item)
  if (type !== 'MODIFIED' || previous === undefined) return has ? event : undefined
  const had = matches(previous)
  if (has) return had ? event : { type: 'ADDED', item, revision }
  return had ? { type: 'DELETED', item: previous.at(revision), revision } : undefined
}

export const EVERYTHING: Filter = { key: '', prefix: '' }

export function passes(filter: Filter, item: StoredObject): boolean {
  if (filter.exact !== undefined && item.key !== filter.exact) return false
  return item.key.startsWith(filter.prefix) && (filter.matches === undefined || filter.matches(item))
}

/** The event as a filtered view sees it: an object that begins to match is ADDED, one that ceases to match is DELETED. */
export function select(filter: Filter, event: CacheEvent): ViewEvent | undefined {
  const had = event.previous !== undefined && passes(filter, event.previous)
  const has = event.kind === 'put' && passes(filter, event.item)
  const { item, previous, revision } = event
  if (has) return had && previous !== undefined ? { type: 'MODIFIED', item, revision, previous } : { type: 'ADDED', item, revision }
  if (!had || previous === undefined) return undefined
  return { type: 'DELETED', item: event.kind === 'delete' ? item : previous.at(revision), revision }
}
