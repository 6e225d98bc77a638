/** Where one request is counted: with all others that ask for the same. */
export interface RequestCounter {
  /** Events that were sent to watchers. */
  events: number
  /** A request begins that may take long. */
  begin(): void
  /** A request has ended. `bytes`: the answer's length, where it is known. `announced`: the header `Content-Length` of the request. */
  done(code: number, seconds: number, bytes?: number, announced?: string): void
}
