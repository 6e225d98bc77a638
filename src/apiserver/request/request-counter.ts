/** Counts one request with others of the same route. */
export interface RequestCounter {
  /** A long-running request begins. */
  begin(): void
  /** A watcher got events, all of them in so many bytes. */
  sent(events: number, bytes: number): void
  /** A request has ended. `bytes`: the response's length, if known. `announced`: the header `Content-Length` of the request. */
  done(code: number, seconds: number, bytes?: number, announced?: string): void
}
