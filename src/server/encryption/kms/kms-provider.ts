import { createHash } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { RandomBytes } from '../../../base/random.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import { seededAesGcm } from '../../../storage/encryption/aes-gcm.ts'
import { TransformError, type ValueTransformer } from '../../../storage/encryption/value-transformer.ts'
import type { EncryptionMetrics } from '../encryption-metrics.ts'
import { checkEncryptedKey, keyIdFault } from './encrypted-object.ts'
import type { EncryptedKey, KmsService, KmsStatus } from './kms-service.ts'

/** The seed that values are encrypted with. */
export interface WriteSeed {
  readonly key: EncryptedKey
  readonly transformer: ValueTransformer
  /** Later it may not encrypt: the plugin has not confirmed its key for too long. */
  readonly expiresAtMs: number
}

export interface KmsProviderDeps {
  readonly service: KmsService
  readonly clock: Clock
  readonly log: Logger
  readonly randomBytes: RandomBytes
  readonly uuid: () => string
  readonly metrics: EncryptionMetrics
}

const SEED_BYTES = 32
const SEED_TTL_MS = 180_000
/** How long an answer of a health check is used again. */
const HEALTHY_TTL_MS = 20_000
const ILL_TTL_MS = 3000
/** How often the plugin is called without a request. */
const HEALTHY_EVERY_MS = 60_000
const ILL_EVERY_MS = 10_000

/** Follows the key of a KMS v2 plugin: asks its status, and makes a new seed when its key has changed. */
export class KmsProvider implements Disposable {
  readonly name: string
  readonly #deps: KmsProviderDeps
  #seed: WriteSeed | undefined
  /** Of the first status: it must not change. */
  #version: string | undefined
  #last: { readonly atMs: number; readonly error: Error | undefined } | undefined
  #checking: Promise<Error | undefined> | undefined
  #stop: () => void = () => {}
  #closed = false

  constructor(name: string, deps: KmsProviderDeps) {
    this.name = name
    this.#deps = deps
  }

  /** Asks the plugin now, and from now on. An absent plugin is no error: it may come later. */
  async start(): Promise<void> {
    this.#next(await this.check())
  }

  /** The present seed; also needed for reading. @throws {TransformError} before the plugin has answered */
  get seed(): WriteSeed {
    if (this.#seed === undefined) throw new TransformError('got unexpected nil transformer')
    return this.#seed
  }

  /** Why the plugin cannot be used; checked again when the last answer is old. */
  check(): Promise<Error | undefined> {
    const { clock } = this.#deps
    const last = this.#last
    if (last !== undefined && clock.now() - last.atMs < (last.error === undefined ? HEALTHY_TTL_MS : ILL_TTL_MS))
      return Promise.resolve(last.error)
    this.#checking ??= this.#probe().then((error) => {
      this.#last = { atMs: clock.now(), error }
      this.#checking = undefined
      return error
    })
    return this.#checking
  }

  [Symbol.dispose](): void {
    this.#closed = true
    this.#stop()
    this.#deps.service[Symbol.dispose]()
  }

  #next(error: Error | undefined): void {
    const { clock, log } = this.#deps
    if (error !== undefined) log.error('kms plugin failed health check probe', { name: this.name, error })
    if (this.#closed) return
    this.#stop = clock.after(error === undefined ? HEALTHY_EVERY_MS : ILL_EVERY_MS, () => {
      this.#last = undefined
      void this.check().then((found) => this.#next(found))
    })
  }

  async #probe(): Promise<Error | undefined> {
    let status: KmsStatus
    try {
      status = await this.#deps.service.status()
    } catch (cause) {
      return new Error(`failed to perform status section of the healthz check for KMS Provider ${this.name}, error: ${messageOf(cause)}`, {
        cause,
      })
    }
    const faults = [...statusFaults(status), ...this.#versionFaults(status), ...(await this.#keyFaults(status))]
    return faults.length === 0 ? undefined : new Error(`kmsv2 Provider ${this.name} is not healthy, error: ${joinErrors(faults)}`)
  }

  #versionFaults({ version }: KmsStatus): string[] {
    if (!VERSIONS.has(version)) return [`expected KMSv2 API version v2, got ${version}`]
    this.#version ??= version
    if (this.#version === version) return []
    return [`KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`]
  }

  async #keyFaults({ keyId }: KmsStatus): Promise<string[]> {
    const { metrics } = this.#deps
    const fault = keyIdFault(keyId)
    if (fault !== undefined) {
      metrics.invalidKeyId(this.name, keyId === '' ? 'empty' : 'too_long')
      return [`got invalid KMSv2 KeyID hash "${hashOf(keyId)}": ${fault}`]
    }
    metrics.keyIdFromStatus(this.name, hashOf(keyId))
    try {
      await this.#rotate(keyId)
      return []
    } catch (error) {
      return [`failed to rotate DEK: ${messageOf(error)}, statusKeyIDHash="${hashOf(keyId)}"`]
    }
  }

  /** A seed lasts as long as the plugin says that its key is the present one. */
  async #rotate(keyId: string): Promise<void> {
    const { clock, service, randomBytes, uuid, metrics } = this.#deps
    const expiresAtMs = clock.now() + SEED_TTL_MS
    if (this.#seed?.key.keyId === keyId) {
      this.#seed = { ...this.#seed, expiresAtMs }
      return
    }
    const startedAtMs = clock.monotonic()
    const seed = randomBytes(SEED_BYTES)
    metrics.dataKeyGenerated(startedAtMs)
    const key = await service.encrypt(uuid(), seed).catch((cause: unknown) => {
      throw new TransformError(`failed to encrypt DEK, error: ${messageOf(cause)}`, { cause })
    })
    checkEncryptedKey(key)
    if (key.keyId !== keyId) throw new TransformError(`the plugin encrypted with another key, encryptKeyIDHash="${hashOf(key.keyId)}"`)
    this.#seed = { key, transformer: seededAesGcm(seed, randomBytes), expiresAtMs }
  }
}

const VERSIONS: ReadonlySet<string> = new Set(['v2', 'v2beta1'])

const statusFaults = ({ healthz }: KmsStatus) => (healthz === 'ok' ? [] : [`got unexpected healthz status: ${healthz}`])

/** `sha256:…`, as key ids are shown; empty for an empty one. */
export const hashOf = (text: string): string => (text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`)
