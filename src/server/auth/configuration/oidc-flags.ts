import type { JwtConfig } from './authentication-configuration.ts'

/** The values of the `--oidc-…` flags. */
export interface OidcFlags {
  readonly issuerUrl: string
  readonly clientId: string
  /** PEM; empty: the system's authorities. */
  readonly ca: string
  readonly usernameClaim: string
  /** `-`: none; empty: the issuer, except for e-mail addresses. */
  readonly usernamePrefix: string
  readonly groupsClaim: string
  readonly groupsPrefix: string
  readonly requiredClaims: ReadonlyMap<string, string>
}

/** The authenticator of the flags. */
export function jwtOfFlags(flags: OidcFlags): JwtConfig {
  const { usernameClaim, groupsClaim } = flags
  const ofIssuer = usernameClaim === 'email' ? '' : `${flags.issuerUrl}#`
  const prefix = flags.usernamePrefix === '-' ? '' : flags.usernamePrefix === '' ? ofIssuer : flags.usernamePrefix
  return {
    issuer: {
      url: flags.issuerUrl,
      discoveryURL: '',
      certificateAuthority: flags.ca,
      audiences: [flags.clientId],
      audienceMatchPolicy: '',
      egressSelectorType: '',
    },
    claimValidationRules: [...flags.requiredClaims].map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
      expression: '',
      message: '',
    })),
    claimMappings: {
      username: { claim: usernameClaim, expression: '', prefix },
      groups: { claim: groupsClaim, expression: '', prefix: groupsClaim === '' ? undefined : flags.groupsPrefix },
      uid: { claim: '', expression: '', prefix: undefined },
      extra: [],
    },
    userValidationRules: [],
  }
}
