import { createSecureContext, type SecureContext } from 'node:tls'
import type { Secret } from '../../../resources/types/core.ts'

/** Certificates with their keys, as Secrets of the type `kubernetes.io/tls` hold them. */
export class SecretCertificates {
  /** By the Secret as it is read: another version is another object. */
  readonly #contexts = new WeakMap<object, SecureContext>()

  /** Undefined: it holds no certificate with its key. */
  of(secret: Secret): SecureContext | undefined {
    const known = this.#contexts.get(secret)
    if (known !== undefined) return known
    const pem = (name: string) => Buffer.from(secret.data?.[name] ?? '', 'base64')
    try {
      if (pem('tls.crt').length === 0 || pem('tls.key').length === 0) return undefined
      const context = createSecureContext({ cert: pem('tls.crt'), key: pem('tls.key') })
      this.#contexts.set(secret, context)
      return context
    } catch {
      return undefined
    }
  }
}
