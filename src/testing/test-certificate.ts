import { systemClock } from '../base/clock.ts'
import { openCertificates } from '../cluster/certificates.ts'

/** A serving certificate, its key, and the authority that signed it; all PEM. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
  /** For `caBundle` of a webhook's configuration, in base64. */
  readonly ca: string
}

/**
 * A fresh certificate for a server of your test, good for `localhost`, `127.0.0.1` and the hosts that you name.
 *
 * ```ts
 * const { cert, key, ca } = testCertificate()
 * await using webhook = createWebhookServer({ tls: { cert, key }, validate: () => 'no' })
 * const clientConfig = { url: `${await webhook.listen(0)}/validate`, caBundle: Buffer.from(ca).toString('base64') }
 * ```
 */
export function testCertificate(hosts: readonly string[] = []): TestCertificate {
  const { serving, ca } = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24', hosts }, { clock: systemClock })
  return { cert: serving.certificate, key: serving.key, ca: ca.certificate }
}
