import { type Authenticator, type Credentials, mayBeFrontProxy } from '../../../apiserver/identity/authenticator.ts'
import { unescapeKey } from '../../../apiserver/identity/header-key.ts'

/** Which client certificates may act as front proxies, and in which headers they pass users (upstream's `--requestheader-…`). */
export interface FrontProxyConfig {
  /** Common names; empty means every certificate of the front proxy CA. */
  readonly allowedNames: readonly string[]
  /** The first header that is present has the user's name. */
  readonly userHeaders: readonly string[]
  /** The first header that is present has the user's UID. */
  readonly uidHeaders: readonly string[]
  /** All headers that are present have groups. */
  readonly groupHeaders: readonly string[]
  /** The rest of the header's name is the key of an extra; one header may match several prefixes. */
  readonly extraPrefixes: readonly string[]
}

/** The user in the headers of a trusted front proxy. Without its certificate the headers are ignored. */
export function frontProxyAuthenticator(config: FrontProxyConfig): Authenticator {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase()).filter((name) => name !== '')
  const [users, uids, groups, prefixes] = [config.userHeaders, config.uidHeaders, config.groupHeaders, config.extraPrefixes].map(lower)
  return {
    authenticate({ certificate, headers }: Credentials) {
      if (certificate === undefined || !mayBeFrontProxy(certificate)) return undefined
      if (config.allowedNames.length > 0 && !config.allowedNames.includes(certificate.commonName)) return undefined
      const name = firstOf(headers, users ?? [])
      if (name === '') return undefined
      const uid = firstOf(headers, uids ?? [])
      const extra = extraOf(headers, prefixes ?? [])
      return {
        name,
        ...(uid === '' ? {} : { uid }),
        groups: (groups ?? []).flatMap((header) => values(headers[header])).filter((group) => group !== ''),
        ...(Object.keys(extra).length > 0 ? { extra } : {}),
      }
    },
  }
}

type Headers = Credentials['headers']

/** The first value of the first of these headers that has one. */
const firstOf = (headers: Headers, names: readonly string[]): string =>
  names.map((name) => values(headers[name])[0] ?? '').find((value) => value !== '') ?? ''

function extraOf(headers: Headers, prefixes: readonly string[]): Record<string, string[]> {
  const extra = Object.create(null) as Record<string, string[]>
  for (const prefix of prefixes) {
    for (const header of Object.keys(headers)) {
      if (!header.startsWith(prefix)) continue
      const key = unescapeKey(header.slice(prefix.length))
      extra[key] = [...(extra[key] ?? []), ...values(headers[header])]
    }
  }
  return extra
}

const values = (header: string | readonly string[] | undefined): string[] =>
  header === undefined ? [] : (typeof header === 'string' ? [header] : [...header]).map((value) => value.trim())
