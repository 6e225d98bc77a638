import type { LiveText } from '../../base/live-text.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { TokenReviewVersion } from './authenticators/webhook-tokens.ts'
import type { AbacPolicy } from './authorizers/abac/policy-file.ts'
import type { AuthorizationConfiguration } from './authorizers/configuration/configuration.ts'
import type { AnonymousConfig, AuthenticationConfiguration } from './configuration/authentication-configuration.ts'

/** The JWT issuers, and the mappings of their claims to users. */
export interface JwtOptions {
  readonly configuration: AuthenticationConfiguration
  readonly algorithms: readonly string[]
  /** The configuration file, if there is one: it is reloaded when it changes. */
  readonly reload: LiveText | undefined
}

export interface AuthenticationOptions {
  readonly anonymous: AnonymousConfig
  /** PEM; undefined: client certificates are not accepted. */
  readonly clientCa: LiveText | undefined
  /** Whether users of client certificates get the certificate's hash as an extra, which appears wherever the user is recorded. */
  readonly certificateIds: boolean
  /** Static tokens: token → user. */
  readonly tokens: ReadonlyMap<string, UserInfo> | undefined
  /** The server's audiences; empty: the issuers of service account tokens. */
  readonly apiAudiences: readonly string[]
  readonly bootstrapTokens: boolean
  readonly webhook: { readonly kubeConfigFile: string; readonly version: TokenReviewVersion; readonly cacheTtlMs: number } | undefined
  readonly jwt: JwtOptions | undefined
}

export interface AuthorizationOptions {
  readonly authorizers: AuthorizationConfiguration
  /** The configuration file, if there is one: it is reloaded when it changes. */
  readonly reload: LiveText | undefined
  /** The ABAC policies. */
  readonly policies: readonly AbacPolicy[]
}

/** Tokens of service accounts. */
export interface ServiceAccountOptions {
  /** The first one issues tokens; tokens of all are accepted. */
  readonly issuers: readonly string[]
  /** PEM. */
  readonly signingKey: string
  /** PEM; tokens are verified with any of them. */
  readonly publicKeys: readonly string[]
  readonly jwksUri: string | undefined
  readonly lookup: boolean
  /** Undefined: no limit. */
  readonly maxExpirationMs: number | undefined
  readonly extendExpiration: boolean
}

/** The headers in which front proxies pass users. */
export interface FrontProxyOptions {
  readonly ca: LiveText
  /** Common names; empty allows every certificate of the authority. */
  readonly allowedNames: readonly string[]
  readonly userHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}
