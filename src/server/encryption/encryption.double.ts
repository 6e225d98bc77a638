import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { type Clock, systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { systemRandomBytes } from '../../base/random.ts'
import type { TransformerDeps } from './build-transformers.ts'
import { EncryptionMetrics } from './encryption-metrics.ts'
import { KmsCallError, type KmsService } from './kms/kms-service.ts'

/** How a fake plugin behaves; read at each call. */
export interface KmsMood {
  keyId: string
  healthz: string
  version: string
  /** Encrypt names this key in place of `keyId`. */
  answeredKeyId?: string
  failEncrypt?: string
  failDecrypt?: string
  absent?: boolean
  annotations?: Record<string, Uint8Array>
}

/** A KMS v2 plugin in this process, which encrypts as `kms-plugin` of the recordings does. `calls`: the names of its calls. */
export class FakeKms implements KmsService {
  readonly calls: string[] = []
  readonly mood: KmsMood

  constructor(mood: Partial<KmsMood> = {}) {
    this.mood = { keyId: 'key-1', healthz: 'ok', version: 'v2', ...mood }
  }

  async status() {
    this.#begin('Status')
    return { version: this.mood.version, healthz: this.mood.healthz, keyId: this.mood.keyId }
  }

  async encrypt(_uid: string, plaintext: Uint8Array) {
    this.#begin('Encrypt', this.mood.failEncrypt)
    const keyId = this.mood.answeredKeyId ?? this.mood.keyId
    const nonce = systemRandomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), nonce)
    const ciphertext = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    return { ciphertext, keyId, annotations: new Map(Object.entries(this.mood.annotations ?? {})) }
  }

  async decrypt(_uid: string, { ciphertext, keyId }: { readonly ciphertext: Uint8Array; readonly keyId: string }) {
    this.#begin('Decrypt', this.mood.failDecrypt)
    const cipher = createDecipheriv('aes-256-gcm', keyOf(keyId), ciphertext.subarray(0, 12)).setAuthTag(ciphertext.subarray(-16))
    return Buffer.concat([cipher.update(ciphertext.subarray(12, -16)), cipher.final()])
  }

  [Symbol.dispose](): void {}

  #begin(call: string, failure?: string): void {
    if (this.mood.absent === true) throw new KmsCallError('Unavailable', 'rpc error: code = Unavailable desc = no connection')
    this.calls.push(call)
    if (failure !== undefined) throw new KmsCallError('Internal', `rpc error: code = Internal desc = ${failure}`)
  }
}

const keyOf = (keyId: string) => createHash('sha256').update(`kms-plugin:${keyId}`).digest()

/** What transformers are built with, and the one plugin that they reach. */
export function transformerDeps(clock: Clock = systemClock, kms = new FakeKms()): TransformerDeps {
  return {
    clock,
    log: silentLogger,
    randomBytes: systemRandomBytes,
    uuid: () => 'uid',
    metrics: new EncryptionMetrics(clock, 'sha256:server'),
    connectKms: async () => kms,
  }
}
