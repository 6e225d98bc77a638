/** A configuration that the scheduler cannot run with; the message is Kubernetes'. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly code = 'invalid'
}
