import { createHash } from 'node:crypto'
import { byKey } from '../../../base/by-text.ts'
import type { Clock } from '../../../base/clock.ts'
import { timestamp } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { RandomBytes } from '../../../base/random.ts'
import { aesGcm, seededAesGcm } from '../../../storage/encryption/aes-gcm.ts'
import { TransformError, type ValueTransformer } from '../../../storage/encryption/value-transformer.ts'
import type { EncryptionMetrics } from '../encryption-metrics.ts'
import { decodeEnvelope, encodeEnvelope, SEED } from './encrypted-object.ts'
import { hashOf, type KmsProvider, type WriteSeed } from './kms-provider.ts'
import { type EncryptedKey, KmsCallError, type KmsService } from './kms-service.ts'

export interface KmsEnvelopeDeps {
  readonly provider: Pick<KmsProvider, 'name' | 'seed'>
  readonly service: Pick<KmsService, 'decrypt'>
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly uuid: () => string
  readonly metrics: EncryptionMetrics
}

/** There is a seed a key of the plugin and a start of a server: far fewer than this. */
const MOST_KEYS = 10_000
const SHORTEST_SEED_BYTES = 32

/**
 * Envelope encryption by a KMS v2 plugin: values are encrypted here, under a seed that is stored beside each value as the plugin encrypted
 * it. The plugin is called once for each seed.
 */
export function kmsEnvelope(deps: KmsEnvelopeDeps): ValueTransformer {
  const { provider, clock, metrics } = deps
  /** Decrypted seeds, or those under way, by their encrypted form. */
  const keys = new Map<string, Promise<ValueTransformer>>()

  async function decrypted(key: EncryptedKey, sourceType: number): Promise<ValueTransformer> {
    metrics.cacheMiss()
    const secret = await deps.service.decrypt(deps.uuid(), key).catch((cause: unknown) => {
      const status = cause instanceof KmsCallError ? { status: cause.code } : {}
      throw new TransformError(`failed to decrypt DEK, error: ${messageOf(cause)}`, { cause, ...status })
    })
    return transformerOf(secret, sourceType, deps.randomBytes)
  }

  function transformerFor(key: EncryptedKey, sourceType: number): Promise<ValueTransformer> {
    const name = cacheKey(key, sourceType)
    const known = keys.get(name)
    if (known !== undefined) return known
    const reading = decrypted(key, sourceType)
    remember(name, reading)
    reading.catch(() => keys.delete(name))
    return reading
  }

  function remember(name: string, transformer: Promise<ValueTransformer>): void {
    if (keys.size >= MOST_KEYS) for (const oldest of keys.keys()) if (keys.delete(oldest)) break
    keys.set(name, transformer)
    metrics.keysCached(provider.name, keys.size)
  }

  return {
    toStorage(value, key) {
      const seed = provider.seed
      assertFresh(seed, clock)
      const name = cacheKey(seed.key, SEED)
      if (!keys.has(name)) remember(name, Promise.resolve(seed.transformer))
      metrics.keyUsed('to_storage', provider.name, hashOf(seed.key.keyId))
      return encodeEnvelope({ data: seed.transformer.toStorage(value, key), key: seed.key, sourceType: SEED })
    },
    async fromStorage(stored, key) {
      const { data, key: encrypted, sourceType } = decodeEnvelope(stored)
      const { seed } = provider
      const transformer = await transformerFor(encrypted, sourceType)
      metrics.keyUsed('from_storage', provider.name, hashOf(encrypted.keyId))
      const { value, stale } = await transformer.fromStorage(data, key)
      return { value, stale: stale || encrypted.keyId !== seed.key.keyId || sourceType !== SEED }
    },
  }
}

function transformerOf(secret: Uint8Array, sourceType: number, randomBytes: RandomBytes): ValueTransformer {
  if (sourceType === SEED) {
    if (secret.length < SHORTEST_SEED_BYTES) throw new TransformError(`invalid seed length ${secret.length} used for key generation`)
    return seededAesGcm(secret, randomBytes)
  }
  if (![16, 24, 32].includes(secret.length)) throw new TransformError(`crypto/aes: invalid key size ${secret.length}`)
  return aesGcm(secret, randomBytes)
}

function assertFresh({ key, expiresAtMs }: WriteSeed, clock: Clock): void {
  const now = clock.now()
  if (now <= expiresAtMs) return
  throw new TransformError(
    `encryptedDEKSource with keyID hash "${hashOf(key.keyId)}" expired at ${timestamp(expiresAtMs)} (current time is ${timestamp(now)})`,
  )
}

/** Tells encrypted keys apart by all their parts, each with its length. */
function cacheKey({ ciphertext, keyId, annotations }: EncryptedKey, sourceType: number): string {
  const parts = [ciphertext, Buffer.from(keyId), ...[...annotations].sort(byKey).flatMap(([k, v]) => [Buffer.from(k), v])]
  const hash = createHash('sha256').update(String(sourceType))
  for (const part of parts) hash.update(`:${part.length}:`).update(part)
  return hash.digest('base64')
}
