/**
 * Why an extender cannot be used; the message is Kubernetes'. - `tls`: its TLS configuration. - `failed`: it cannot be called, or reports a
 * failure. - `bad-answer`: its answer is invalid.
 */
export class ExtenderError extends Error {
  override readonly name = 'ExtenderError'
  readonly code: 'tls' | 'failed' | 'bad-answer'
  constructor(code: ExtenderError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
