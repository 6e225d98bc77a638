/** What one watch cache did since the server started. */
export class CacheCounts {
  /** Changes that the store delivered. Each is offered to the watchers at once. */
  events = 0
  /** How often the cache was filled by a list of the store, and the objects of these lists. */
  fills = 1
  filled = 0
  /** Lists of clients, the objects that they looked at, and those that they returned. */
  lists = 0
  fetched = 0
  returned = 0

  /** A list of a client ended. */
  listed(fetched: number, returned: number): void {
    this.lists++
    this.fetched += fetched
    this.returned += returned
  }

  /** The cache was filled again. */
  refilled(objects: number): void {
    this.fills++
    this.filled += objects
  }
}
