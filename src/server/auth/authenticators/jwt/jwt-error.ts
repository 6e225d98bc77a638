/** A token, its claims, or the keys of its issuer were refused; the message is that of go-oidc or Kubernetes. */
export class JwtError extends Error {
  readonly code = 'refused'
  override readonly name = 'JwtError'
}
