import type { CacheEvent, ViewEvent } from './cache-event.ts'
import type { StoredObject } from './stored-object.ts'

/** Which objects of a resource somebody wants to see. */
export interface Filter {
  /** Equal keys mean equal filters. */
  readonly key: string
  /** Only keys that begin so (`namespace/`, or a whole key); `''` is all. */
  readonly prefix: string
  /** A whole key: only that object. */
  readonly exact?: string
  /** Absent: everything under the prefix. */
  readonly matches?: (item: StoredObject) => boolean
  /** When the filter holds only for objects whose indexed field has this value (`spec.nodeName`): an event touches no other view. */
  readonly index?: { readonly field: string; readonly value: string }
}

export const EVERYTHING: Filter = { key: '', prefix: '' }

export function passes(filter: Filter, item: StoredObject): boolean {
  if (filter.exact !== undefined && item.key !== filter.exact) return false
  return item.key.startsWith(filter.prefix) && (filter.matches === undefined || filter.matches(item))
}

/** What an event is for those who see only what passes: objects that begin to pass are added, those that cease to are deleted. */
export function select(filter: Filter, event: CacheEvent): ViewEvent | undefined {
  const had = event.previous !== undefined && passes(filter, event.previous)
  const has = event.kind === 'put' && passes(filter, event.item)
  if (has) return { type: had ? 'MODIFIED' : 'ADDED', item: event.item, revision: event.revision }
  if (!had || event.previous === undefined) return undefined
  return { type: 'DELETED', item: event.kind === 'delete' ? event.item : event.previous.at(event.revision), revision: event.revision }
}
