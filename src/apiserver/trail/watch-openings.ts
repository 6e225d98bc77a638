import { LruMap } from '../../base/collections/lru-map.ts'
import type { WatchOpening, WatchOpenings } from './observed-watch.ts'

/** Counts begin again after this long. */
const SPAN_MS = 600_000
const MOST_READERS = 4096

/** Counts openings: a reader that opens the same watch again and again is in a loop, or cannot keep up. */
export class OpeningCounts {
  readonly #counts = new LruMap<string, WatchOpenings>(MOST_READERS)

  opened({ request, query }: Pick<WatchOpening, 'request' | 'query'>, now: number): WatchOpenings {
    const { target, labelSelector, fieldSelector } = query
    const { group, resource, namespace, name } = target
    const key = [request.user.name, request.userAgent, group, resource, namespace, name, labelSelector, fieldSelector].join('\n')
    const known = this.#counts.get(key)
    const counted = known !== undefined && now - known.since <= SPAN_MS ? known : { since: now, count: 0, expired: 0 }
    counted.count++
    this.#counts.set(key, counted)
    return counted
  }
}
