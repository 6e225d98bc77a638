import { ConfigurationFileError } from '../../../machinery/configuration-file.ts'
import { type FieldError, goQuote } from '../../../machinery/field-error.ts'
import { type AuthenticationConfiguration, decodeAuthenticationConfiguration } from './authentication-configuration.ts'
import { aggregateText, compileJwt, validateAuthenticationConfiguration } from './validate-configuration.ts'

/** An authentication configuration that cannot be used; the text is what Kubernetes says. */
export class AuthenticationConfigurationError extends Error {
  override readonly name = 'AuthenticationConfigurationError'
  readonly code = 'invalid'
}

/** Reads the text of a configuration file. @throws {AuthenticationConfigurationError} */
export function readAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === '') throw new AuthenticationConfigurationError('empty config data')
  try {
    return decodeAuthenticationConfiguration(text)
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new AuthenticationConfigurationError(error.message) : error
  }
}

/** Judges a configuration. `more`: faults that only whoever asks can see. @throws {AuthenticationConfigurationError} */
export function checkAuthenticationConfiguration(configuration: AuthenticationConfiguration, more: readonly FieldError[] = []): void {
  const faults = [...validateAuthenticationConfiguration(configuration), ...more]
  if (faults.length > 0) throw new AuthenticationConfigurationError(`invalid authentication configuration: ${aggregateText(faults)}`)
}

/**
 * No issuer may be the one of this server's own tokens, nor be reached through an egress selector, which there is none of. @throws
 * {AuthenticationConfigurationError}
 */
export function checkIssuers({ jwt }: AuthenticationConfiguration, own: readonly string[]): void {
  for (const one of jwt) {
    const { faults } = compileJwt(one, '', own)
    if (faults.length > 0) throw new AuthenticationConfigurationError(aggregateText(faults))
    const egress = one.issuer.egressSelectorType
    if (egress !== '')
      throw new AuthenticationConfigurationError(`oidc: egress lookup required with egress selector type ${goQuote(egress)}`)
  }
}
