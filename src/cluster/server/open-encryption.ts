import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { type Random, systemRandomBytes } from '../../base/random.ts'
import { EncryptionMetrics } from '../../server/encryption/encryption-metrics.ts'
import { hashOf } from '../../server/encryption/kms/kms-provider.ts'
import { type EncryptionOptions, LiveEncryption } from '../../server/encryption/live-encryption.ts'
import { EncryptionConfigurationError } from '../../server/encryption/load-encryption.ts'
import { OptionsError } from '../../server/options-error.ts'
import { connectKmsBy } from './connect-kms.ts'

export interface EncryptionDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
}

/** Encryption at rest, and its figures for `/metrics`. */
export interface ServerEncryption {
  readonly live: LiveEncryption
  readonly metrics: EncryptionMetrics
}

/** @throws {OptionsError} with kube-apiserver's message for a configuration that cannot be used */
export async function openEncryption(options: EncryptionOptions, { clock, log, random }: EncryptionDeps): Promise<ServerEncryption> {
  const metrics = new EncryptionMetrics(clock, hashOf(`apiserver-${random.uuid()}`))
  const connectKms = connectKmsBy(clock, metrics)
  try {
    const uuid = () => random.uuid()
    const live = await LiveEncryption.open(options, { clock, log, randomBytes: systemRandomBytes, uuid, metrics, connectKms })
    return { live, metrics }
  } catch (error) {
    if (!(error instanceof EncryptionConfigurationError)) throw error
    throw new OptionsError('bad-file', error.message, { cause: error })
  }
}
