import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  duplicate,
  type FieldError,
  faultText,
  forbidden,
  invalid,
  notSupported,
  notSupportedText,
  required,
} from '../../machinery/field-error.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { isObject } from '../../machinery/object.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'

/** A program that knows logins (`CredentialProvider` of `kubelet.config.k8s.io/v1`). */
export interface CredentialProvider {
  readonly name: string
  readonly apiVersion: string
  readonly matchImages: readonly string[]
  readonly defaultCacheDuration: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly tokenAttributes?: TokenAttributes
}

export interface TokenAttributes {
  readonly serviceAccountTokenAudience: string
  readonly cacheType: 'ServiceAccount' | 'Token'
  readonly requireServiceAccount: boolean
  readonly requiredServiceAccountAnnotationKeys?: readonly string[]
  readonly optionalServiceAccountAnnotationKeys?: readonly string[]
}

/** Why the node cannot start with these credential providers. */
export class CredentialConfigError extends Error {
  override readonly name = 'CredentialConfigError'
  readonly code = 'bad-credential-config'
}

export interface CredentialFiles {
  /** A file of type `CredentialProviderConfig`, or a folder of such. */
  readonly config: string
  /** Where the programs lie. */
  readonly binDir: string
}

/** A provider and its program. */
export interface FoundProvider extends CredentialProvider {
  readonly program: string
}

/** Reads and checks. @throws {CredentialConfigError} with all faults, in the kubelet's words */
export function readCredentialConfig({ config, binDir }: CredentialFiles): readonly FoundProvider[] {
  const providers = filesOf(config).flatMap(providersIn)
  const faults = [...faultsOf(providers)].map(faultText)
  if (faults.length > 0) {
    const all = faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`
    throw new CredentialConfigError(`failed to validate credential provider config: ${all}`)
  }
  return providers.map((provider) => ({ ...provider, program: programOf(provider, binDir) }))
}

function filesOf(config: string): readonly string[] {
  if (!statSync(config).isDirectory()) return [config]
  return readdirSync(config)
    .filter((name) => /\.(json|ya?ml)$/.test(name))
    .sort()
    .map((name) => path.join(config, name))
}

const KINDS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `kubelet.config.k8s.io/${version}`)

function providersIn(file: string): readonly CredentialProvider[] {
  const { value } = decodeYaml(readFileSync(file, 'utf8'))
  if (!isObject(value) || value.kind !== 'CredentialProviderConfig' || !KINDS.includes(String(value.apiVersion)))
    throw new CredentialConfigError(`error decoding config: ${file} is no CredentialProviderConfig of kubelet.config.k8s.io/v1`)
  // Read from a file; what a node relies on is checked below.
  return (value as { readonly providers?: readonly CredentialProvider[] }).providers ?? []
}

const API_VERSION = 'credentialprovider.kubelet.k8s.io/v1'
const API_VERSIONS = [API_VERSION, `${API_VERSION}alpha1`, `${API_VERSION}beta1`]

function* faultsOf(providers: readonly CredentialProvider[]): Generator<FieldError> {
  if (providers.length === 0) yield required('providers', 'at least 1 item in plugins is required')
  const seen = new Set<string>()
  for (const provider of providers) {
    const { name, apiVersion = '', matchImages = [], defaultCacheDuration } = provider
    yield* nameFaults(name)
    if (seen.has(name)) yield duplicate('providers.name', name)
    seen.add(name)
    if (apiVersion === '') yield required('providers.apiVersion')
    else if (!API_VERSIONS.includes(apiVersion)) yield notSupportedText('providers.apiVersion', apiVersion, API_VERSIONS)
    if (matchImages.length === 0) yield required('providers.matchImages', 'at least 1 item in matchImages is required')
    if (defaultCacheDuration === undefined) yield required('providers.defaultCacheDuration')
    else if ((parseGoDuration(defaultCacheDuration) ?? 0) < 0)
      yield invalid('providers.defaultCacheDuration', defaultCacheDuration, 'must be greater than or equal to 0')
    yield* tokenFaults(provider)
  }
}

function* nameFaults(name: string): Generator<FieldError> {
  if (name.includes('/')) yield invalid('providers.name', name, "provider name cannot contain '/'")
  if (name.includes(' ')) yield invalid('providers.name', name, 'provider name cannot contain spaces')
  if (name === '.' || name === '..') yield invalid('providers.name', name, `provider name cannot be '${name}'`)
}

function* tokenFaults({ apiVersion, tokenAttributes }: CredentialProvider): Generator<FieldError> {
  if (tokenAttributes === undefined) return
  const at = 'providers.tokenAttributes'
  const { serviceAccountTokenAudience, cacheType, requireServiceAccount, requiredServiceAccountAnnotationKeys = [] } = tokenAttributes
  if (!serviceAccountTokenAudience) yield required(`${at}.serviceAccountTokenAudience`)
  if (!cacheType) yield required(`${at}.cacheType`, 'cacheType is required to be set when serviceAccountTokenAudience is specified')
  else if (!['ServiceAccount', 'Token'].includes(cacheType)) yield notSupported(`${at}.cacheType`, cacheType, ['ServiceAccount', 'Token'])
  if (requireServiceAccount === undefined) yield required(`${at}.requireServiceAccount`)
  if (requireServiceAccount === false && requiredServiceAccountAnnotationKeys.length > 0)
    yield forbidden(
      `${at}.requiredServiceAccountAnnotationKeys`,
      'requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set',
    )
  if (apiVersion !== API_VERSION) yield forbidden(at, `tokenAttributes is only supported for ${API_VERSION} API version`)
}

function programOf({ name }: CredentialProvider, binDir: string): string {
  const program = path.join(binDir, name)
  try {
    accessSync(program, constants.X_OK)
    return program
  } catch (error) {
    // The kubelet leaves the name empty.
    throw new CredentialConfigError('plugin binary executable  did not exist', { cause: error })
  }
}
