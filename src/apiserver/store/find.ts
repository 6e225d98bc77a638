import { pathSegmentName } from '../../machinery/names.ts'
import { invalidNameParameter, notFound } from '../../machinery/status-error.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import { assertReadable } from './unreadable.ts'
import { groupResource, keyOf, type Write, type WriteTarget } from './write.ts'

/** Identifies one object. */
export type Addressed = Pick<Write, 'served'> & {
  readonly place: Pick<WriteTarget, 'namespace' | 'name'>
  /** Any state will do, even one from before an object that cannot be decoded was written. */
  readonly anyState?: boolean
}

/** The object as the cache has it now; 400 for a name that is not a valid path segment. */
export function find(watchCache: Pick<WatchCache, 'of'>, { served: { definition }, place, anyState }: Addressed): StoredObject | undefined {
  const cache = watchCache.of(definition)
  const key = keyOf(definition, place.namespace, place.name)
  assertReadable(cache, key, anyState)
  const item = cache.get(key)
  if (item !== undefined) return item
  const faults = pathSegmentName(place.name)
  if (faults.length > 0) throw invalidNameParameter(place.name, faults)
  return undefined
}

/** The same; throws 404. */
export function found(watchCache: Pick<WatchCache, 'of'>, addressed: Addressed): StoredObject {
  const item = find(watchCache, addressed)
  if (item === undefined) throw notFound(groupResource(addressed), addressed.place.name)
  return item
}
