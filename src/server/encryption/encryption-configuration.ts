import { decodeConfigurationFile } from '../../machinery/configuration-file.ts'
import { parseGoDuration, showGoDuration } from '../../machinery/go/go-duration.ts'
import { goAny, goDuration, goInt32, goString, listOf, struct } from '../../machinery/go/go-type.ts'

export interface EncryptionKey {
  readonly name: string
  /** Base64. */
  readonly secret: string
}

export interface KmsConfiguration {
  readonly apiVersion: string
  readonly name: string
  /** For KMS v1 alone. */
  readonly cachesize: number | undefined
  /** `unix:///run/kms.sock` */
  readonly endpoint: string
  readonly timeoutMs: number
  /** The same as Go shows it. */
  readonly timeout: string
}

/** One element of `providers`: a valid one has exactly one member. */
export interface ProviderConfiguration {
  readonly aesgcm?: readonly EncryptionKey[]
  readonly aescbc?: readonly EncryptionKey[]
  readonly secretbox?: readonly EncryptionKey[]
  readonly identity?: Readonly<Record<string, never>>
  readonly kms?: KmsConfiguration
}

export interface ResourceConfiguration {
  readonly resources: readonly string[]
  readonly providers: readonly ProviderConfiguration[]
}

/** Which resources are encrypted, and how; with defaults, not yet validated. */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[]
}

const goKeys = listOf(struct('v1.Key', { name: goString, secret: goString }))

const goConfiguration = struct('v1.EncryptionConfiguration', {
  resources: listOf(
    struct('v1.ResourceConfiguration', {
      resources: listOf(goString),
      providers: listOf(
        struct('v1.ProviderConfiguration', {
          aesgcm: struct('v1.AESConfiguration', { keys: goKeys }),
          aescbc: struct('v1.AESConfiguration', { keys: goKeys }),
          secretbox: struct('v1.SecretboxConfiguration', { keys: goKeys }),
          identity: struct('v1.IdentityConfiguration', {}),
          kms: struct('v1.KMSConfiguration', {
            apiVersion: goString,
            name: goString,
            cachesize: goInt32,
            endpoint: goString,
            timeout: goDuration,
          }),
        }),
      ),
    }),
  ),
})

const V1 = 'apiserver.config.k8s.io/v1'
/** The other kinds that upstream's decoder of this file knows, by their fields. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  AdmissionConfiguration: ['plugins'],
  AuthenticationConfiguration: ['jwt', 'anonymous'],
  AuthorizationConfiguration: ['authorizers'],
  TracingConfiguration: ['endpoint', 'samplingRatePerMillion'],
}
const otherTypes = Object.entries(OTHERS).map(([kind, fields]) => [
  `${V1} ${kind}`,
  struct(`v1.${kind}`, Object.fromEntries(fields.map((field) => [field, goAny]))),
])

const KINDS = {
  // The second name exists because of an error in Kubernetes' documentation.
  types: { [`${V1} EncryptionConfiguration`]: goConfiguration, 'v1 EncryptionConfig': goConfiguration, ...Object.fromEntries(otherTypes) },
  strict: true,
}

interface WrittenKeys {
  readonly keys?: readonly { readonly name?: string; readonly secret?: string }[]
}

interface WrittenProvider {
  readonly aesgcm?: WrittenKeys
  readonly aescbc?: WrittenKeys
  readonly secretbox?: WrittenKeys
  readonly identity?: object
  readonly kms?: {
    readonly apiVersion?: string
    readonly name?: string
    readonly cachesize?: number
    readonly endpoint?: string
    readonly timeout?: string
  }
}

interface WrittenConfiguration {
  readonly resources?: readonly { readonly resources?: readonly string[]; readonly providers?: readonly WrittenProvider[] }[]
}

/** A file that holds another kind of configuration. */
export class UnexpectedKindError extends Error {
  override readonly name = 'UnexpectedKindError'
  readonly code = 'kind'
}

/**
 * Decodes a file strictly.
 * @throws {ConfigurationFileError} in upstream's words
 * @throws {UnexpectedKindError}
 */
export function decodeEncryptionConfiguration(text: string): EncryptionConfiguration {
  const { apiVersion, kind, value } = decodeConfigurationFile(text, KINDS)
  if (Object.hasOwn(OTHERS, kind)) throw new UnexpectedKindError(`got unexpected config type: ${apiVersion}, Kind=${kind}`)
  const { resources = [] } = value as WrittenConfiguration
  return {
    resources: resources.map(({ resources: names = [], providers = [] }) => ({ resources: names, providers: providers.map(provider) })),
  }
}

function provider({ aesgcm, aescbc, secretbox, identity, kms }: WrittenProvider): ProviderConfiguration {
  return {
    ...(aesgcm && { aesgcm: keysOf(aesgcm) }),
    ...(aescbc && { aescbc: keysOf(aescbc) }),
    ...(secretbox && { secretbox: keysOf(secretbox) }),
    ...(identity && { identity: {} }),
    ...(kms && { kms: kmsProvider(kms) }),
  }
}

const keysOf = ({ keys = [] }: WrittenKeys): EncryptionKey[] => keys.map(({ name = '', secret = '' }) => ({ name, secret }))

const DEFAULT_TIMEOUT = '3s'
const DEFAULT_CACHE_SIZE = 1000

function kmsProvider({
  apiVersion = '',
  name = '',
  cachesize,
  endpoint = '',
  timeout = DEFAULT_TIMEOUT,
}: NonNullable<WrittenProvider['kms']>): KmsConfiguration {
  const timeoutMs = parseGoDuration(timeout) ?? 0
  const version = apiVersion === '' ? 'v1' : apiVersion
  return {
    apiVersion: version,
    name,
    cachesize: version === 'v1' ? (cachesize ?? DEFAULT_CACHE_SIZE) : cachesize,
    endpoint,
    timeoutMs,
    timeout: showGoDuration(timeoutMs),
  }
}
