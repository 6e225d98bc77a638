import type { Authenticator, Credentials } from '../../../apiserver/identity/authenticator.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'

/** Users by the fingerprint of their certificate; those seen last. */
const MAX_USERS = 4096

/**
 * The user that a verified client certificate names: its common name, its organizations as groups, and with `ids` which certificate it was
 * as an extra. The same certificate gives the same value.
 */
export function clientCertificateAuthenticator({ ids }: { readonly ids: boolean }): Authenticator {
  const users = new LruMap<string, UserInfo>(MAX_USERS)
  return {
    authenticate({ certificate }: Credentials) {
      if (certificate === undefined || certificate.commonName === '' || certificate.authority === 'front-proxy') return undefined
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
