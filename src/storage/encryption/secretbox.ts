import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import type { RandomBytes } from '../../base/random.ts'
import { TransformError, type ValueTransformer } from './value-transformer.ts'

const NONCE_BYTES = 24
const TAG_BYTES = 16

/** XSalsa20-Poly1305 (NaCl's secretbox) behind 24 random bytes of nonce. The store's key is not authenticated. */
export function secretbox(secret: Uint8Array, randomBytes: RandomBytes): ValueTransformer {
  return {
    toStorage(value) {
      const nonce = randomBytes(NONCE_BYTES)
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(value)])
    },
    async fromStorage(stored) {
      if (stored.length < NONCE_BYTES + TAG_BYTES) throw new TransformError('the stored data was shorter than the required size')
      try {
        const value = xsalsa20poly1305(secret, stored.subarray(0, NONCE_BYTES)).decrypt(stored.subarray(NONCE_BYTES))
        return { value: Buffer.from(value.buffer, value.byteOffset, value.byteLength), stale: false }
      } catch (cause) {
        // Upstream's words for a failed authentication.
        throw new TransformError('output array was not large enough for encryption', { cause })
      }
    },
  }
}
