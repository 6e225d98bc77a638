/** A configuration that the scheduler cannot run with; the text is what Kubernetes says. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly code = 'invalid'
}
