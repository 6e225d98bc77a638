/**
 * Errors of an aggregated API.
 * - `bad-kind`: the description of a kind cannot be served.
 * - `not-computed`: `computed` was called for a kind that clients write.
 * - `listening`: `listen` was called twice.
 * - `no-front-proxy`: the cluster has no certificate authority of its front proxy.
 * - `bad-connection`: the argument of `accept` is not a connection.
 */
export class AggregatedApiError extends Error {
  override readonly name = 'AggregatedApiError'
  readonly code: 'bad-kind' | 'not-computed' | 'listening' | 'no-front-proxy' | 'bad-connection'
  constructor(code: AggregatedApiError['code'], message: string) {
    super(message)
    this.code = code
  }
}
