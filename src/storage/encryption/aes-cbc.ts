import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { RandomBytes } from '../../base/random.ts'
import { TransformError, type ValueTransformer } from './value-transformer.ts'

const BLOCK_BYTES = 16

/** AES-CBC with PKCS#7 padding, behind 16 random bytes of IV. The store's key is not authenticated. */
export function aesCbc(secret: Uint8Array, randomBytes: RandomBytes): ValueTransformer {
  const cipher = `aes-${secret.length * 8}-cbc`
  return {
    toStorage(value) {
      const iv = randomBytes(BLOCK_BYTES)
      const encrypt = createCipheriv(cipher, secret, iv)
      return Buffer.concat([iv, encrypt.update(value), encrypt.final()])
    },
    async fromStorage(stored) {
      if (stored.length < BLOCK_BYTES) throw new TransformError('the stored data was shorter than the required size')
      if (stored.length % BLOCK_BYTES !== 0) throw new TransformError('the stored data is not a multiple of the block size')
      const decrypt = createDecipheriv(cipher, secret, stored.subarray(0, BLOCK_BYTES)).setAutoPadding(false)
      const padded = Buffer.concat([decrypt.update(stored.subarray(BLOCK_BYTES)), decrypt.final()])
      return { value: unpadded(padded), stale: false }
    },
  }
}

/** By hand, because OpenSSL does not say what is wrong with a padding, and accepts none beyond a block. */
function unpadded(padded: Buffer): Buffer {
  const size = padded.at(-1) ?? 0
  if (size === 0 || size > padded.length) throw new TransformError('invalid PKCS7 data (empty or not padded)')
  const end = padded.length - size
  if (padded.subarray(end).some((byte) => byte !== size)) throw new TransformError('invalid padding on input')
  return padded.subarray(0, end)
}
