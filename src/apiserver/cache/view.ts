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
  /** Makes items ready to be asked whether they match, where something has to be waited for first; undefined: they are. */
  readonly prepare?: (items: readonly StoredObject[]) => Promise<void> | undefined
  /** When the filter holds only for objects whose indexed field has this value (`spec.nodeName`): an event touches no other view. */
  readonly index?: { readonly field: string; readonly value: string }
}

/** The same place, whatever stands there: for those who have to `prepare` before they choose by themselves. */
export function withoutMatching({ matches: _, prepare: __, ...filter }: Filter): Filter {
  return { ...filter, key: `${filter.prefix}|${filter.exact ?? ''}|${filter.index?.field ?? ''}=${filter.index?.value ?? ''}|all` }
}

/** What an event of the place is for those who see only what matches. Its objects must have been prepared. */
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

/** What an event is for those who see only what passes: objects that begin to pass are added, those that cease to are deleted. */
export function select(filter: Filter, event: CacheEvent): ViewEvent | undefined {
  const had = event.previous !== undefined && passes(filter, event.previous)
  const has = event.kind === 'put' && passes(filter, event.item)
  const { item, previous, revision } = event
  if (has) return had && previous !== undefined ? { type: 'MODIFIED', item, revision, previous } : { type: 'ADDED', item, revision }
  if (!had || previous === undefined) return undefined
  return { type: 'DELETED', item: event.kind === 'delete' ? item : previous.at(revision), revision }
}
