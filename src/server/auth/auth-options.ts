import type { LiveText } from '../../base/live-text.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { TokenReviewVersion } from './authenticators/webhook-tokens.ts'
import type { AbacPolicy } from './authorizers/abac/policy-file.ts'
import type { AuthorizationConfiguration } from './authorizers/configuration/configuration.ts'
import type { AnonymousConfig, AuthenticationConfiguration } from './configuration/authentication-configuration.ts'

/** Issuers of tokens, and how their claims become users. */
export interface JwtOptions {
  readonly configuration: AuthenticationConfiguration
  readonly algorithms: readonly string[]
  /** The file of the configuration, where there is one: the issuers change with it. */
  readonly reload: LiveText | undefined
}

export interface AuthenticationOptions {
  readonly anonymous: AnonymousConfig
  /** PEM; undefined: client certificates prove nothing. */
  readonly clientCa: LiveText | undefined
  /**
   * Whether users of client certificates bring the hash of the certificate as an extra, which shows in everything that records its author.
   */
  readonly certificateIds: boolean
  /** Static tokens: token → user. */
  readonly tokens: ReadonlyMap<string, UserInfo> | undefined
  /** Whom tokens must be meant for; none: the issuers of service account tokens. */
  readonly apiAudiences: readonly string[]
  readonly bootstrapTokens: boolean
  readonly webhook: { readonly kubeConfigFile: string; readonly version: TokenReviewVersion; readonly cacheTtlMs: number } | undefined
  readonly jwt: JwtOptions | undefined
}

export interface AuthorizationOptions {
  readonly authorizers: AuthorizationConfiguration
  /** The file of the authorizers, where there is one: they change with it. */
  readonly reload: LiveText | undefined
  /** What ABAC allows. */
  readonly policies: readonly AbacPolicy[]
}

/** Tokens of service accounts. */
export interface ServiceAccountOptions {
  /** The first issues tokens; those of all are accepted. */
  readonly issuers: readonly string[]
  /** PEM. */
  readonly signingKey: string
  /** PEM; tokens are verified with any of them. */
  readonly publicKeys: readonly string[]
  readonly jwksUri: string | undefined
  readonly lookup: boolean
  /** Undefined: as long as was asked for. */
  readonly maxExpirationMs: number | undefined
  readonly extendExpiration: boolean
}

/** Which headers of authenticating proxies name users. */
export interface FrontProxyOptions {
  readonly ca: LiveText
  /** Common names; empty allows every certificate of the authority. */
  readonly allowedNames: readonly string[]
  readonly userHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}
