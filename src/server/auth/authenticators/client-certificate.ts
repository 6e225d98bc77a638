import type { Authenticator, Credentials, PeerCertificate } from '../../../apiserver/identity/authenticator.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'

/** The most cached users, by certificate fingerprint. */
const MAX_USERS = 4096

/**
 * The user of a verified client certificate: its common name, its organizations as groups, and with `ids` its hash as an extra. The same
 * certificate gives the same object. `noted` gets the certificate of each request.
 */
export function clientCertificateAuthenticator(
  { ids }: { readonly ids: boolean },
  { noted }: { readonly noted?: ((certificate: PeerCertificate) => void) | undefined } = {},
): Authenticator {
  const users = new LruMap<string, UserInfo>(MAX_USERS)
  return {
    authenticate({ certificate }: Credentials) {
      if (certificate === undefined || certificate.commonName === '' || certificate.authority === 'front-proxy') return undefined
      noted?.(certificate)
      let user = users.get(certificate.fingerprint)
      if (user === undefined) {
        user = {
          name: certificate.commonName,
          ...(certificate.uid === undefined ? {} : { uid: certificate.uid }),
          groups: certificate.organizations,
          ...(ids ? { extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${certificate.fingerprint}`] } } : {}),
        }
        users.set(certificate.fingerprint, user)
      }
      return user
    },
  }
}
