/**
 * Why an aggregated API cannot do what its author asks.
 * - `bad-kind`: the description of a kind cannot be served.
 * - `not-computed`: `computed` was asked for a kind that clients write.
 * - `listening`: `listen` was called twice.
 * - `no-front-proxy`: the cluster does not say whose word on users counts.
 * - `bad-connection`: what was handed to `accept` is no connection.
 */
export class AggregatedApiError extends Error {
  override readonly name = 'AggregatedApiError'
  readonly code: 'bad-kind' | 'not-computed' | 'listening' | 'no-front-proxy' | 'bad-connection'
  constructor(code: AggregatedApiError['code'], message: string) {
    super(message)
    this.code = code
  }
}
