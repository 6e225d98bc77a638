import { byText } from '../../base/by-text.ts'
import { fnv128a } from '../../base/fnv.ts'
import { goDump } from '../frame/go-dump.ts'

/** In the order of the hash of what Go prints: one that does not change, and that the API's users see. */
export function sortByHash<T extends object>(
  items: readonly T[],
  type: 'EndpointPort' | 'EndpointSubset' | 'discovery_v1.EndpointPort',
): readonly T[] {
  if (items.length < 2) return items
  const hashes = new Map(items.map((item) => [item, fnv128a(new TextEncoder().encode(goDump(item, type) ?? ''))]))
  return items.toSorted((a, b) => byText(hashes.get(a) ?? '', hashes.get(b) ?? ''))
}
