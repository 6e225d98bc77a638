import type { Authenticator, Credentials } from '../../../apiserver/identity/authenticator.ts'
import { unescapeKey } from '../../../apiserver/identity/header-key.ts'

/** Which client certificates may speak for others, as upstream's `--requestheader-allowed-names`; empty means every certificate of the front proxy CA. */
export interface FrontProxyConfig {
  readonly allowedNames: readonly string[]
}

const EXTRA = 'x-remote-extra-'

/** The user that a trusted front proxy names in headers (`X-Remote-User`, `-Group`, `-Uid`, `-Extra-…`). Without its certificate the headers mean nothing. */
export function frontProxyAuthenticator(config: FrontProxyConfig): Authenticator {
  return {
    authenticate({ certificate, headers }: Credentials) {
      if (certificate?.authority !== 'front-proxy') return undefined
      if (config.allowedNames.length > 0 && !config.allowedNames.includes(certificate.commonName)) return undefined
      const [name = ''] = values(headers['x-remote-user'])
      if (name.trim() === '') return undefined
      const [uid] = values(headers['x-remote-uid'])
      const extra = Object.create(null) as Record<string, string[]>
      for (const header of Object.keys(headers)) {
        if (header.startsWith(EXTRA)) extra[unescapeKey(header.slice(EXTRA.length))] = values(headers[header])
      }
      return {
        name,
        ...(uid === undefined ? {} : { uid }),
        groups: values(headers['x-remote-group']),
        ...(Object.keys(extra).length > 0 ? { extra } : {}),
      }
    },
  }
}

const values = (header: string | readonly string[] | undefined): string[] =>
  header === undefined ? [] : (typeof header === 'string' ? [header] : [...header]).map((value) => value.trim())
