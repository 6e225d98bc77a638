import { type CipherGCMTypes, createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { RandomBytes } from '../../base/random.ts'
import { TransformError, type ValueTransformer } from './value-transformer.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Of the bytes that a key is derived from; also the length of that key. */
const INFO_BYTES = 32

/** AES-GCM behind 12 random bytes of nonce; the store's key is authenticated. */
export function aesGcm(secret: Uint8Array, randomBytes: RandomBytes): ValueTransformer {
  return {
    toStorage: (value, key) => Buffer.concat(sealed(secret, { value, key, nonce: randomBytes(NONCE_BYTES) })),
    fromStorage: async (stored, key) => ({ value: opened(secret, stored, key), stale: false }),
  }
}

/**
 * AES-256-GCM under a key of its own for each value: derived by HKDF-SHA-256 (expand only) from a seed and 32 random bytes, which come
 * first. KMS v2 stores values like this, because one seed may encrypt any number of them.
 */
export function seededAesGcm(seed: Uint8Array, randomBytes: RandomBytes): ValueTransformer {
  return {
    toStorage(value, key) {
      const info = randomBytes(INFO_BYTES)
      return Buffer.concat([info, ...sealed(derived(seed, info), { value, key, nonce: randomBytes(NONCE_BYTES) })])
    },
    async fromStorage(stored, key) {
      if (stored.length < INFO_BYTES) throw new TransformError(TOO_SHORT)
      const secret = derived(seed, stored.subarray(0, INFO_BYTES))
      return { value: opened(secret, stored.subarray(INFO_BYTES), key), stale: false }
    },
  }
}

const TOO_SHORT = 'the stored data was shorter than the required size'

const cipherOf = (secret: Uint8Array): CipherGCMTypes =>
  secret.length === 16 ? 'aes-128-gcm' : secret.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm'

interface Sealing {
  readonly value: Uint8Array
  readonly key: string
  readonly nonce: Uint8Array
}

function sealed(secret: Uint8Array, { value, key, nonce }: Sealing): Uint8Array[] {
  const cipher = createCipheriv(cipherOf(secret), secret, nonce).setAAD(Buffer.from(key))
  return [nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]
}

function opened(secret: Uint8Array, stored: Uint8Array, key: string): Buffer {
  if (stored.length < NONCE_BYTES) throw new TransformError(TOO_SHORT)
  const sealedBytes = stored.subarray(NONCE_BYTES)
  try {
    const end = sealedBytes.length - TAG_BYTES
    if (end < 0) throw new RangeError('no tag')
    const cipher = createDecipheriv(cipherOf(secret), secret, stored.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(key))
    cipher.setAuthTag(sealedBytes.subarray(end))
    return Buffer.concat([cipher.update(sealedBytes.subarray(0, end)), cipher.final()])
  } catch (cause) {
    throw new TransformError('cipher: message authentication failed', { cause })
  }
}

/** RFC 5869, 2.3, for a single block. */
const derived = (seed: Uint8Array, info: Uint8Array): Buffer => createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest()
