import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { RandomBytes } from '../../base/random.ts'
import type { GroupResource } from '../../machinery/status-error.ts'
import { aesCbc } from '../../storage/encryption/aes-cbc.ts'
import { aesGcm } from '../../storage/encryption/aes-gcm.ts'
import { identity } from '../../storage/encryption/identity.ts'
import { type PrefixedTransformer, prefixedTransformers } from '../../storage/encryption/prefixed-transformers.ts'
import { secretbox } from '../../storage/encryption/secretbox.ts'
import type { ValueTransformer } from '../../storage/encryption/value-transformer.ts'
import type { EncryptionConfiguration, EncryptionKey, KmsConfiguration, ProviderConfiguration } from './encryption-configuration.ts'
import type { EncryptionMetrics } from './encryption-metrics.ts'
import { ANY, anyIn, groupResourceText, parseGroupResource } from './group-resource-pattern.ts'
import { kmsEnvelope } from './kms/kms-envelope.ts'
import { KmsProvider } from './kms/kms-provider.ts'
import type { ConnectKms } from './kms/kms-service.ts'
import { EncryptionConfigurationError } from './load-encryption.ts'
import { decodeSecret } from './validate-configuration.ts'
import { socketOf } from './validate-kms.ts'

export interface TransformerDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly randomBytes: RandomBytes
  readonly uuid: () => string
  readonly metrics: EncryptionMetrics
  readonly connectKms: ConnectKms
}

/** The transformers of a configuration. */
export interface ResourceTransformers extends Disposable {
  /** The transformer of a resource: by its name, else `*.group`, else `*.*`, else none that encrypts. */
  of(resource: GroupResource): ValueTransformer
  /** The KMS plugins, in order. */
  readonly kms: readonly KmsProvider[]
  /** How long a call of all plugins may take together. */
  readonly kmsTimeoutMs: number
}

/** Builds the transformers of a valid configuration, and connects to its KMS plugins. @throws {EncryptionConfigurationError} */
export async function buildTransformers({ resources }: EncryptionConfiguration, deps: TransformerDeps): Promise<ResourceTransformers> {
  const byResource = new Map<string, PrefixedTransformer[]>()
  const kms: KmsProvider[] = []
  try {
    for (const { resources: names, providers } of resources) {
      const built: PrefixedTransformer[] = []
      for (const provider of providers) built.push(await prefixed(provider, kms, deps))
      for (const name of names) add(byResource, parseGroupResource(name), built)
    }
  } catch (error) {
    for (const one of kms) one[Symbol.dispose]()
    throw error
  }
  const timeouts = resources.flatMap(({ providers }) => providers.map((provider) => provider.kms?.timeoutMs ?? 0))
  return {
    kms,
    kmsTimeoutMs: timeouts.reduce((sum, ms) => sum + ms, 0),
    of: memoized((resource) => {
      const rules = [resource, anyIn(resource.group), ANY].map(groupResourceText)
      const [first, ...rest] = rules.map((rule) => byResource.get(rule)).find((list) => list !== undefined) ?? []
      return first === undefined ? identity : recorded(resource, [first, ...rest], deps)
    }),
    [Symbol.dispose]() {
      for (const one of kms) one[Symbol.dispose]()
    },
  }
}

function memoized(make: (resource: GroupResource) => ValueTransformer): (resource: GroupResource) => ValueTransformer {
  const made = new Map<string, ValueTransformer>()
  return (resource) => {
    const name = groupResourceText(resource)
    const transformer = made.get(name) ?? make(resource)
    made.set(name, transformer)
    return transformer
  }
}

function add(byResource: Map<string, PrefixedTransformer[]>, resource: GroupResource, providers: readonly PrefixedTransformer[]): void {
  const name = groupResourceText(resource)
  for (const rule of [anyIn(resource.group), ANY].map(groupResourceText))
    if (byResource.has(rule)) throw building(`resource "${name}" is masked by earlier rule "${rule}"`)
  byResource.set(name, [...(byResource.get(name) ?? []), ...providers])
}

function recorded(
  resource: GroupResource,
  transformers: readonly [PrefixedTransformer, ...PrefixedTransformer[]],
  { clock, metrics }: TransformerDeps,
): ValueTransformer {
  const recorder = { now: () => clock.monotonic(), record: metrics.transformed.bind(metrics, groupResourceText(resource)) }
  return prefixedTransformers({ transformers, unmatched: 'no matching prefix found', recorder })
}

async function prefixed(provider: ProviderConfiguration, kms: KmsProvider[], deps: TransformerDeps): Promise<PrefixedTransformer> {
  const { aesgcm, aescbc, secretbox: box } = provider
  if (aesgcm !== undefined) return keyed('aesgcm', 'AES', aesgcm.map(cipherOf(aesGcm, deps)))
  if (aescbc !== undefined) return keyed('aescbc', 'AES', aescbc.map(cipherOf(aesCbc, deps)))
  if (box !== undefined) return keyed('secretbox', 'Secretbox', box.map(cipherOf(secretbox, deps)))
  return provider.kms === undefined ? { prefix: '', transformer: identity } : kmsTransformer(provider.kms, kms, deps)
}

const cipherOf =
  (cipher: (secret: Uint8Array, randomBytes: RandomBytes) => ValueTransformer, { randomBytes }: TransformerDeps) =>
  ({ name, secret }: EncryptionKey): PrefixedTransformer => ({
    prefix: `${name}:`,
    transformer: cipher(decodeSecret(secret) ?? Buffer.alloc(0), randomBytes),
  })

/** A provider with keys: behind its own prefix, each key has one. */
function keyed(provider: string, shown: string, keys: readonly PrefixedTransformer[]): PrefixedTransformer {
  const [first, ...rest] = keys
  if (first === undefined) throw building(`${provider} provider has no valid keys`)
  const unmatched = `no matching key was found for the provided ${shown} transformer`
  return { prefix: `k8s:enc:${provider}:v1:`, transformer: prefixedTransformers({ transformers: [first, ...rest], unmatched }) }
}

const KMS_V1 =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.'

async function kmsTransformer({ apiVersion, name, endpoint, timeoutMs }: KmsConfiguration, kms: KmsProvider[], deps: TransformerDeps) {
  if (apiVersion === 'v1') throw building(KMS_V1)
  const service = await deps.connectKms({ name, socket: socketOf(endpoint), timeoutMs })
  const provider = new KmsProvider(name, { ...deps, service })
  kms.push(provider)
  await provider.start()
  return { prefix: `k8s:enc:kms:v2:${name}:`, transformer: kmsEnvelope({ ...deps, provider, service }) }
}

const building = (why: string) => new EncryptionConfigurationError(`error while building transformers: ${why}`)
