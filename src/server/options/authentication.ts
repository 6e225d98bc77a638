import { goQuote } from '../../machinery/field-error.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, keyValues, strings, text } from '../../machinery/flags/kinds.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { AuthenticationOptions, JwtOptions } from '../auth/auth-options.ts'
import { parseTokenFile, TokenFileError } from '../auth/authenticators/static-tokens.ts'
import {
  AuthenticationConfigurationError,
  checkAuthenticationConfiguration,
  readAuthenticationConfiguration,
} from '../auth/configuration/load-configuration.ts'
import { jwtOfFlags } from '../auth/configuration/oidc-flags.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'
import { caBundle } from './ca-bundle.ts'

/** Authentication. */
export const AUTHENTICATION_FLAGS = {
  'anonymous-auth': bool(true, { help: 'accept requests without credentials, as system:anonymous' }),
  'api-audiences': strings([], { help: 'the accepted audiences of tokens (default: the issuers of service account tokens)' }),
  'client-ca-file': text('', { help: 'the certificate authorities of client certificates' }),
  'enable-bootstrap-token-auth': bool(false, { help: 'accept bootstrap tokens (Secrets in kube-system), with which nodes join' }),
  'token-auth-file': text('', { help: 'static tokens: TOKEN,USER,UID,"GROUP,GROUP" in each line' }),
  'authentication-config': text('', {
    help: 'an AuthenticationConfiguration: token issuers, anonymous requests; read again when it changes',
  }),
  'authentication-token-webhook-config-file': text('', { help: 'a kubeconfig that names the webhook which reviews tokens' }),
  'authentication-token-webhook-version': text('v1beta1', { help: 'the version of the TokenReview: v1beta1 or v1' }),
  'authentication-token-webhook-cache-ttl': duration(120_000, { help: 'how long responses of the webhook are cached' }),
  'oidc-issuer-url': text('', { help: 'the URL of an OpenID Connect issuer' }),
  'oidc-client-id': text('', { help: 'the audience that its tokens must have' }),
  'oidc-ca-file': text('', { help: 'the certificate authorities of the issuer (default: those of the system)' }),
  'oidc-username-claim': text('sub', { help: 'the claim that names the user' }),
  'oidc-username-prefix': text('', { help: 'the prefix of user names (default: the issuer, unless the claim is email; -: none)' }),
  'oidc-groups-claim': text('', { help: 'the claim that names groups' }),
  'oidc-groups-prefix': text('', { help: 'the prefix of group names' }),
  'oidc-required-claim': keyValues({ help: 'claims that a token must have: CLAIM=VALUE' }),
  'oidc-signing-algs': strings(['RS256'], { help: 'algorithms that the issuer may sign with' }),
}

type AuthenticationValues = FlagValues<typeof AUTHENTICATION_FLAGS>

interface AuthenticationFlags {
  readonly values: AuthenticationValues
  readonly given: ReadonlySet<string>
}

export function authenticationFaults({ values, given }: AuthenticationFlags): string[] {
  const oidc = [...given].some((name) => name.startsWith('oidc-'))
  if (values['authentication-config'] !== '') return oidc ? ['authentication-config file and oidc-* flags are mutually exclusive'] : []
  return oidc && (values['oidc-issuer-url'] === '' || values['oidc-client-id'] === '')
    ? ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set']
    : []
}

/** The authentication options, with files loaded. `allowsAll`: with AlwaysAllow, anonymous requests are turned off. */
export function readAuthentication({ values, given }: AuthenticationFlags, { allowsAll = false } = {}): AuthenticationOptions {
  const jwt = readJwt(values)
  const ofFile = jwt?.configuration.anonymous
  if (ofFile !== undefined && given.has('anonymous-auth')) {
    const why =
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file'
    throw new OptionsError('bad-option', why)
  }
  if (jwt !== undefined) checked(() => checkAuthenticationConfiguration(jwt.configuration))
  const clientCa = values['client-ca-file']
  return {
    anonymous: ofFile ?? { enabled: values['anonymous-auth'] && !allowsAll, conditions: [] },
    clientCa: clientCa === '' ? undefined : caBundle('client-ca-bundle', clientCa),
    certificateIds: true,
    tokens: readTokens(values['token-auth-file']),
    apiAudiences: values['api-audiences'],
    bootstrapTokens: values['enable-bootstrap-token-auth'],
    webhook: readWebhook(values),
    jwt,
  }
}

function readTokens(file: string): ReadonlyMap<string, UserInfo> | undefined {
  if (file === '') return undefined
  try {
    return parseTokenFile(optionFile(file).current(), file)
  } catch (error) {
    throw error instanceof TokenFileError ? new OptionsError('bad-file', error.message, { cause: error }) : error
  }
}

function readWebhook(values: AuthenticationValues): AuthenticationOptions['webhook'] {
  const kubeConfigFile = values['authentication-token-webhook-config-file']
  const version = values['authentication-token-webhook-version']
  if (kubeConfigFile === '') return undefined
  if (version !== 'v1' && version !== 'v1beta1') {
    const why = `unsupported authentication webhook version ${goQuote(version)}, supported versions are "v1", "v1beta1"`
    throw new OptionsError('bad-option', why)
  }
  return { kubeConfigFile, version, cacheTtlMs: values['authentication-token-webhook-cache-ttl'] }
}

/** With a configuration file, the issuer chooses the algorithm. */
const ALL_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']

function readJwt(values: AuthenticationValues): JwtOptions | undefined {
  const path = values['authentication-config']
  if (path !== '') {
    const says = (why: string) => `failed to load authentication configuration from file ${goQuote(path)}: ${why}`
    const file = optionFile(path, says)
    return { configuration: checked(() => readAuthenticationConfiguration(file.current()), says), algorithms: ALL_ALGORITHMS, reload: file }
  }
  const [issuerUrl, clientId, caFile] = [values['oidc-issuer-url'], values['oidc-client-id'], values['oidc-ca-file']]
  if (issuerUrl === '' || clientId === '') return undefined
  const jwt = jwtOfFlags({
    issuerUrl,
    clientId,
    ca: caFile === '' ? '' : optionFile(caFile).current(),
    usernameClaim: values['oidc-username-claim'],
    usernamePrefix: values['oidc-username-prefix'],
    groupsClaim: values['oidc-groups-claim'],
    groupsPrefix: values['oidc-groups-prefix'],
    requiredClaims: values['oidc-required-claim'],
  })
  const algorithms = values['oidc-signing-algs']
  const unsupported = algorithms.find((algorithm) => !ALL_ALGORITHMS.includes(algorithm))
  const configuration = { jwt: [jwt], anonymous: undefined }
  checked(() => checkAuthenticationConfiguration(configuration))
  if (unsupported !== undefined) throw new OptionsError('bad-option', `oidc: unsupported signing alg: ${goQuote(unsupported)}`)
  return { configuration, algorithms, reload: undefined }
}

function checked<T>(work: () => T, says: (why: string) => string = (why) => why): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof AuthenticationConfigurationError ? new OptionsError('bad-file', says(error.message), { cause: error }) : error
  }
}
