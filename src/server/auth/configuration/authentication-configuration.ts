import { type ConfigurationKinds, decodeConfigurationFile } from '../../../machinery/configuration-file.ts'
import { goBool, goString, listOf, struct } from '../../../machinery/go/go-type.ts'

/** An issuer, and the audiences of its tokens. */
export interface IssuerConfig {
  readonly url: string
  readonly discoveryURL: string
  /** PEM; empty: the system's authorities. */
  readonly certificateAuthority: string
  readonly audiences: readonly string[]
  readonly audienceMatchPolicy: string
  readonly egressSelectorType: string
}

/** One claim or one expression; `prefix` applies to claims only. */
export interface ClaimOrExpression {
  readonly claim: string
  readonly expression: string
  readonly prefix: string | undefined
}

export interface ClaimValidationRule {
  readonly claim: string
  readonly requiredValue: string
  readonly expression: string
  readonly message: string
}

export interface UserValidationRule {
  readonly expression: string
  readonly message: string
}

/** `JWTAuthenticator`: an issuer, and the mappings of its claims. */
export interface JwtConfig {
  readonly issuer: IssuerConfig
  readonly claimValidationRules: readonly ClaimValidationRule[]
  readonly claimMappings: {
    readonly username: ClaimOrExpression
    readonly groups: ClaimOrExpression
    readonly uid: ClaimOrExpression
    readonly extra: readonly { readonly key: string; readonly valueExpression: string }[]
  }
  readonly userValidationRules: readonly UserValidationRule[]
}

/** Whether requests without credentials are `system:anonymous`, and for which paths (empty: all). */
export interface AnonymousConfig {
  readonly enabled: boolean
  readonly conditions: readonly { readonly path: string }[]
}

/** A complete AuthenticationConfiguration of `apiserver.config.k8s.io`. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfig[]
  /** Undefined: flags decide. */
  readonly anonymous: AnonymousConfig | undefined
}

const kindsOf = (version: string): ReturnType<typeof struct> => {
  const type = (name: string, fields: Parameters<typeof struct>[1]) => struct(`${version}.${name}`, fields)
  const prefixed = type('PrefixedClaimOrExpression', { claim: goString, prefix: goString, expression: goString })
  return type('AuthenticationConfiguration', {
    jwt: listOf(
      type('JWTAuthenticator', {
        issuer: type('Issuer', {
          url: goString,
          discoveryURL: goString,
          certificateAuthority: goString,
          audiences: listOf(goString),
          audienceMatchPolicy: goString,
          egressSelectorType: goString,
        }),
        claimValidationRules: listOf(
          type('ClaimValidationRule', { claim: goString, requiredValue: goString, expression: goString, message: goString }),
        ),
        claimMappings: type('ClaimMappings', {
          username: prefixed,
          groups: prefixed,
          uid: type('ClaimOrExpression', { claim: goString, expression: goString }),
          extra: listOf(type('ExtraMapping', { key: goString, valueExpression: goString })),
        }),
        userValidationRules: listOf(type('UserValidationRule', { expression: goString, message: goString })),
      }),
    ),
    anonymous: type('AnonymousAuthConfig', {
      enabled: goBool,
      conditions: listOf(type('AnonymousAuthCondition', { path: goString })),
    }),
  })
}

const GROUP = 'apiserver.config.k8s.io'
const KINDS: ConfigurationKinds = {
  types: Object.fromEntries(['v1alpha1', 'v1beta1', 'v1'].map((v) => [`${GROUP}/${v} AuthenticationConfiguration`, kindsOf(v)])),
  strict: true,
}

/**
 * Parses an authentication configuration file without validation.
 * @throws {ConfigurationFileError} with Kubernetes' message
 */
export function decodeAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  // The decoder has checked types; absent fields have Go's zero values.
  const { value } = decodeConfigurationFile(text, KINDS)
  const written = value as WrittenConfiguration
  return {
    jwt: (written.jwt ?? []).map(completeJwt),
    anonymous:
      written.anonymous === undefined
        ? undefined
        : {
            enabled: written.anonymous.enabled ?? false,
            conditions: (written.anonymous.conditions ?? []).map(({ path = '' }) => ({ path })),
          },
  }
}

interface WrittenConfiguration {
  readonly jwt?: readonly WrittenJwt[]
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] }
}

interface WrittenJwt {
  readonly issuer?: Partial<IssuerConfig>
  readonly claimValidationRules?: readonly Partial<ClaimValidationRule>[]
  readonly claimMappings?: {
    readonly username?: Partial<ClaimOrExpression>
    readonly groups?: Partial<ClaimOrExpression>
    readonly uid?: Partial<ClaimOrExpression>
    readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[]
  }
  readonly userValidationRules?: readonly Partial<UserValidationRule>[]
}

function completeJwt({ issuer = {}, claimMappings = {}, claimValidationRules = [], userValidationRules = [] }: WrittenJwt): JwtConfig {
  return {
    issuer: {
      url: '',
      discoveryURL: '',
      certificateAuthority: '',
      audiences: [],
      audienceMatchPolicy: '',
      egressSelectorType: '',
      ...issuer,
    },
    claimValidationRules: claimValidationRules.map((rule) => ({ claim: '', requiredValue: '', expression: '', message: '', ...rule })),
    claimMappings: {
      username: completeClaim(claimMappings.username),
      groups: completeClaim(claimMappings.groups),
      uid: completeClaim(claimMappings.uid),
      extra: (claimMappings.extra ?? []).map(({ key = '', valueExpression = '' }) => ({ key, valueExpression })),
    },
    userValidationRules: userValidationRules.map((rule) => ({ expression: '', message: '', ...rule })),
  }
}

const completeClaim = ({ claim = '', expression = '', prefix }: Partial<ClaimOrExpression> = {}): ClaimOrExpression => ({
  claim,
  expression,
  prefix,
})
