/** Counts one request with others of the same route. */
export interface RequestCounter {
  /** A long-running request begins. */
  begin(): void
  /** A watcher got events, all of them in so many bytes. */
  sent(events: number, bytes: number): void
  /** The server itself ends a request with this code: there are too many of them, or its time is up. */
  terminate(code: number): void
  /** What a request began was aborted, because its time was up. */
  abort(): void
  /** A request has ended. `bytes`: the response's length, if known. `announced`: the header `Content-Length` of the request. */
  done(code: number, seconds: number, bytes?: number, announced?: string): void
}
