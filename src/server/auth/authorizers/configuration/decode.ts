import { API_SERVER_KINDS } from '../../../../machinery/api-server-kinds.ts'
import { ConfigurationFileError, decodeConfigurationFile } from '../../../../machinery/configuration-file.ts'
import { parseGoDuration } from '../../../../machinery/go/go-duration.ts'
import { type GoType, goBool, goString, listOf, struct } from '../../../../machinery/go/go-type.ts'
import { AuthorizationConfigurationError } from './configuration.ts'

export interface WrittenWebhook {
  readonly authorizedTTL?: string
  readonly cacheAuthorizedRequests?: boolean
  readonly unauthorizedTTL?: string
  readonly cacheUnauthorizedRequests?: boolean
  readonly timeout?: string
  readonly subjectAccessReviewVersion?: string
  readonly matchConditionSubjectAccessReviewVersion?: string
  readonly failurePolicy?: string
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string }
  readonly matchConditions?: readonly { readonly expression?: string }[]
}

export interface WrittenAuthorizer {
  readonly type?: string
  readonly name?: string
  readonly webhook?: WrittenWebhook
}

const goSpan: GoType = { kind: 'duration', readsNull: true }

const configuration = (version: string) =>
  struct(`${version}.AuthorizationConfiguration`, {
    authorizers: listOf(
      struct(`${version}.AuthorizerConfiguration`, {
        type: goString,
        name: goString,
        webhook: struct(`${version}.WebhookConfiguration`, {
          authorizedTTL: goSpan,
          cacheAuthorizedRequests: goBool,
          unauthorizedTTL: goSpan,
          cacheUnauthorizedRequests: goBool,
          timeout: goSpan,
          subjectAccessReviewVersion: goString,
          matchConditionSubjectAccessReviewVersion: goString,
          failurePolicy: goString,
          connectionInfo: struct(`${version}.WebhookConnectionInfo`, { type: goString, kubeConfigFile: goString }),
          matchConditions: listOf(struct(`${version}.WebhookMatchCondition`, { expression: goString })),
        }),
      }),
    ),
  })

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1']

const GROUP = 'apiserver.config.k8s.io'
const KIND = 'AuthorizationConfiguration'

const KINDS = {
  types: Object.fromEntries(VERSIONS.map((version) => [`${GROUP}/${version} ${KIND}`, configuration(version)])),
  others: { kinds: API_SERVER_KINDS, says: (kind: string) => `expected ${KIND}, got *apiserver.${kind}` },
  strict: true,
}

/** Parses the authorizers of a file strictly. @throws {AuthorizationConfigurationError} */
export function decodeAuthorizers(text: string): readonly WrittenAuthorizer[] {
  if (text === '') return []
  try {
    const { value } = decodeConfigurationFile(text, KINDS)
    return (value as { authorizers?: readonly WrittenAuthorizer[] }).authorizers ?? []
  } catch (error) {
    if (!(error instanceof ConfigurationFileError)) throw error
    throw new AuthorizationConfigurationError(`failed to load AuthorizationConfiguration from file: ${error.message}`, { cause: error })
  }
}

/** Milliseconds; the default if absent or zero. */
export const durationMs = (text: string | undefined, byDefault = 0): number => parseGoDuration(text ?? '') || byDefault
