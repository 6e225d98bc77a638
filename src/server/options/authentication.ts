import type { LiveText } from '../../base/live-text.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, keyValues, refused, strings, text } from '../../machinery/flags/kinds.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { parseTokenFile } from '../auth/authenticators/static-tokens.ts'
import { optionFile } from './files.ts'

const NOT_YET = refused('not followed yet')

/** Who asks. */
export const AUTHENTICATION_FLAGS = {
  'anonymous-auth': bool(true, { help: 'whether a request without credentials is system:anonymous' }),
  'api-audiences': strings([], NOT_YET),
  'client-ca-file': text('', { help: 'the authorities of client certificates' }),
  'enable-bootstrap-token-auth': bool(false, NOT_YET),
  'token-auth-file': text('', { help: 'static tokens: TOKEN,USER,UID,"GROUP,GROUP" in each line' }),
  'authentication-config': text('', NOT_YET),
  'authentication-token-webhook-config-file': text('', NOT_YET),
  'authentication-token-webhook-version': text('v1beta1', NOT_YET),
  'authentication-token-webhook-cache-ttl': duration(120_000, NOT_YET),
  'oidc-issuer-url': text('', NOT_YET),
  'oidc-client-id': text('', NOT_YET),
  'oidc-ca-file': text('', NOT_YET),
  'oidc-username-claim': text('sub', NOT_YET),
  'oidc-username-prefix': text('', NOT_YET),
  'oidc-groups-claim': text('', NOT_YET),
  'oidc-groups-prefix': text('', NOT_YET),
  'oidc-required-claim': keyValues(NOT_YET),
  'oidc-signing-algs': strings(['RS256'], NOT_YET),
}

type AuthenticationValues = FlagValues<typeof AUTHENTICATION_FLAGS>

export interface AuthenticationOptions {
  readonly anonymous: boolean
  /** PEM; undefined: client certificates prove nothing. */
  readonly clientCa: LiveText | undefined
  /** Static tokens: token → user. */
  readonly tokens: ReadonlyMap<string, UserInfo> | undefined
}

export const authenticationFaults = (_flags: { readonly values: AuthenticationValues; readonly given: ReadonlySet<string> }): string[] => []

export function readAuthentication({ values }: { readonly values: AuthenticationValues }): AuthenticationOptions {
  const clientCa = values['client-ca-file']
  const tokens = values['token-auth-file']
  return {
    anonymous: values['anonymous-auth'],
    clientCa: clientCa === '' ? undefined : optionFile(clientCa),
    tokens: tokens === '' ? undefined : parseTokenFile(optionFile(tokens).current()),
  }
}
