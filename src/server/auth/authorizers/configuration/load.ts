import { faultText, reportedFaults } from '../../../../machinery/field-error.ts'
import { joinErrors } from '../../../../machinery/join-errors.ts'
import {
  AUTHORIZER_TYPES,
  type AuthorizationConfiguration,
  AuthorizationConfigurationError,
  type AuthorizerConfiguration,
  type AuthorizerType,
  type WebhookConfiguration,
} from './configuration.ts'
import { decodeAuthorizers, durationMs, type WrittenAuthorizer, type WrittenWebhook } from './decode.ts'
import { AUTHORIZED_TTL_MS, authorizerFaults, compileConditions, UNAUTHORIZED_TTL_MS } from './validate.ts'

/**
 * Parses an AuthorizationConfiguration and applies defaults. `needed`: types that the chain must keep because the server started with them.
 * @throws {AuthorizationConfigurationError} with every fault, in upstream's words
 */
export function loadAuthorization(text: string, needed: ReadonlySet<AuthorizerType> = new Set()): AuthorizationConfiguration {
  const authorizers = decodeAuthorizers(text)
  const faults = reportedFaults(authorizerFaults(authorizers))
  if (faults.length > 0) throw new AuthorizationConfigurationError(joinErrors(faults.map(faultText)))
  const complete = authorizers.flatMap(completeAuthorizer)
  const errors = [...wrongNames(complete), ...missingTypes(complete, needed)]
  if (errors.length > 0) throw new AuthorizationConfigurationError(joinErrors(errors))
  return complete
}

/** The name of an authorizer other than a webhook. */
export const nameOfType = (type: AuthorizerType): string => type.toLowerCase()

function wrongNames(authorizers: AuthorizationConfiguration): string[] {
  return authorizers.flatMap(({ type, name }) => {
    if (type === 'Webhook' || name === nameOfType(type)) return []
    return [`expected name ${nameOfType(type)} for authorizer ${type} instead of ${name}`]
  })
}

function missingTypes(authorizers: AuthorizationConfiguration, needed: ReadonlySet<AuthorizerType>): string[] {
  const missing = [...needed].filter((type) => !authorizers.some((a) => a.type === type)).sort()
  return missing.length === 0 ? [] : [`missing required types: [${missing.join(' ')}]`]
}

function completeAuthorizer({ type: written, name = '', webhook }: WrittenAuthorizer): AuthorizerConfiguration[] {
  const type = AUTHORIZER_TYPES.find((known) => known === written)
  if (type === undefined) return []
  if (type !== 'Webhook') return [{ type, name }]
  return webhook === undefined ? [] : [{ type, name, webhook: completeWebhook(webhook) }]
}

function completeWebhook(webhook: WrittenWebhook): WebhookConfiguration {
  const { cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true, connectionInfo = {} } = webhook
  return {
    version: webhook.subjectAccessReviewVersion === 'v1beta1' ? 'v1beta1' : 'v1',
    authorizedTtlMs: cacheAuthorizedRequests ? durationMs(webhook.authorizedTTL, AUTHORIZED_TTL_MS) : 0,
    unauthorizedTtlMs: cacheUnauthorizedRequests ? durationMs(webhook.unauthorizedTTL, UNAUTHORIZED_TTL_MS) : 0,
    timeoutMs: durationMs(webhook.timeout),
    onFailure: webhook.failurePolicy === 'Deny' ? 'deny' : 'no-opinion',
    kubeConfigFile: connectionInfo.type === 'InClusterConfig' ? undefined : connectionInfo.kubeConfigFile,
    conditions: compileConditions(webhook, '').conditions,
  }
}
