import { ConfigurationFileError } from '../../../machinery/configuration-file.ts'
import { aggregateText, type FieldError, goQuote } from '../../../machinery/field-error.ts'
import { type AuthenticationConfiguration, decodeAuthenticationConfiguration } from './authentication-configuration.ts'
import { compileJwt, validateAuthenticationConfiguration } from './validate-configuration.ts'

/** An invalid authentication configuration; the message is Kubernetes'. */
export class AuthenticationConfigurationError extends Error {
  override readonly name = 'AuthenticationConfigurationError'
  readonly code = 'invalid'
}

/** Parses a configuration file. @throws {AuthenticationConfigurationError} */
export function readAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === '') throw new AuthenticationConfigurationError('empty config data')
  try {
    return decodeAuthenticationConfiguration(text)
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new AuthenticationConfigurationError(error.message) : error
  }
}

/** Validates a configuration. `more`: faults that only the caller can find. @throws {AuthenticationConfigurationError} */
export function checkAuthenticationConfiguration(configuration: AuthenticationConfiguration, more: readonly FieldError[] = []): void {
  const faults = [...validateAuthenticationConfiguration(configuration), ...more]
  if (faults.length > 0) throw new AuthenticationConfigurationError(`invalid authentication configuration: ${aggregateText(faults)}`)
}

/**
 * No issuer may be one of this server's own, nor use an egress selector, which is not supported. @throws
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
