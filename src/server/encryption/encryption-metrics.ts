import type { Clock } from '../../base/clock.ts'
import { Counts, exponentialBounds, type Family, familiesOf, Histograms, labels, type Sample } from '../../base/exposition.ts'
import type { Transformation } from '../../storage/encryption/prefixed-transformers.ts'
import { TransformError } from '../../storage/encryption/value-transformer.ts'

const TRANSFORM_SECONDS = exponentialBounds(5e-6, 2, 25)
const GENERATION_SECONDS = exponentialBounds(5e-6, 2, 14)
const CALL_SECONDS = exponentialBounds(1e-4, 2, 20)
/** A plugin invents its key ids: of so many the series are kept. */
const MOST_KEY_IDS = 100

/** What `/metrics` shows of encryption at rest, by kube-apiserver's names. */
export class EncryptionMetrics {
  readonly #clock: Clock
  /** The hash of the server's identity, a label of several metrics. */
  readonly #server: string
  readonly #operations = new Counts()
  readonly #durations = new Histograms(TRANSFORM_SECONDS)
  readonly #calls = new Histograms(CALL_SECONDS)
  readonly #keyUses = new Counts()
  readonly #keyUsedAt = new Map<string, number>()
  readonly #keySeenAt = new Map<string, number>()
  readonly #invalidKeyIds = new Counts()
  readonly #cachedKeys = new Map<string, number>()
  readonly #reloads = new Counts()
  readonly #generations = new Histograms(GENERATION_SECONDS)
  readonly #reloadedAt = new Map<string, number>()
  #cacheMisses = 0
  #configHash: string | undefined

  constructor(clock: Clock, serverIdHash: string) {
    this.#clock = clock
    this.#server = serverIdHash
  }

  /** A value of a resource was encrypted or decrypted. */
  transformed(resource: string, { type, prefix, startedAtMs, error }: Transformation): void {
    const status = error === undefined ? 'OK' : error instanceof TransformError ? error.status : 'unknown-non-grpc'
    this.#operations.bump(labels({ resource, status, transformation_type: type, transformer_prefix: prefix }))
    if (error !== undefined) return
    this.#durations.observe(labels({ transformation_type: type, transformer_prefix: prefix }), this.#since(startedAtMs))
  }

  /** A call of a KMS plugin ended with a gRPC status. */
  called(provider: string, method: string, { status, startedAtMs }: { readonly status: string; readonly startedAtMs: number }): void {
    const key = labels({ grpc_status_code: status, method_name: method, provider_name: provider })
    this.#calls.observe(key, this.#since(startedAtMs))
  }

  keyUsed(type: Transformation['type'], provider: string, keyIdHash: string): void {
    const key = labels({
      apiserver_id_hash: this.#server,
      key_id_hash: keyIdHash,
      provider_name: provider,
      transformation_type: type,
    })
    this.#keyUses.bump(key)
    this.#keyUsedAt.set(key, this.#seconds())
    if (this.#keyUses.size > MOST_KEY_IDS) for (const series of [this.#keyUses, this.#keyUsedAt]) dropOldest(series)
  }

  keyIdFromStatus(provider: string, keyIdHash: string): void {
    const key = labels({ apiserver_id_hash: this.#server, key_id_hash: keyIdHash, provider_name: provider })
    this.#keySeenAt.set(key, this.#seconds())
    if (this.#keySeenAt.size > MOST_KEY_IDS) dropOldest(this.#keySeenAt)
  }

  invalidKeyId(provider: string, error: 'empty' | 'too_long'): void {
    this.#invalidKeyIds.bump(labels({ error, provider_name: provider }))
  }

  keysCached(provider: string, count: number): void {
    this.#cachedKeys.set(labels({ provider_name: provider }), count)
  }

  cacheMiss(): void {
    this.#cacheMisses++
  }

  dataKeyGenerated(startedAtMs: number): void {
    this.#generations.observe('', this.#since(startedAtMs))
  }

  /** A configuration came into use; it is no reload when the server starts. */
  configured(hash: string): void {
    this.#configHash = hash
  }

  reloaded(status: 'success' | 'failure'): void {
    const key = labels({ apiserver_id_hash: this.#server, status })
    this.#reloads.bump(key)
    this.#reloadedAt.set(key, this.#seconds())
  }

  families(): Family[] {
    const one = (value: number): Sample[] => (value === 0 ? [] : [['', value]])
    const config: Sample[] =
      this.#configHash === undefined ? [] : [[labels({ apiserver_id_hash: this.#server, hash: this.#configHash }), 1]]
    return [
      family('storage_transformation_operations_total', 'counter', 'Transformations of stored values, by their results.', this.#operations),
      family('storage_transformation_duration_seconds', 'histogram', 'Time that transformations of values took.', this.#durations),
      family(
        'storage_envelope_transformation_cache_misses_total',
        'counter',
        'Data keys that a KMS plugin had to decrypt.',
        one(this.#cacheMisses),
      ),
      family('storage_data_key_generation_duration_seconds', 'histogram', 'Time that the making of data keys took.', this.#generations),
      family('envelope_encryption_kms_operations_latency_seconds', 'histogram', 'Time that calls of KMS plugins took.', this.#calls),
      family('envelope_encryption_key_id_hash_total', 'counter', 'Uses of key ids.', this.#keyUses),
      family('envelope_encryption_key_id_hash_last_timestamp_seconds', 'gauge', 'When a key id was used last.', this.#keyUsedAt),
      family(
        'envelope_encryption_key_id_hash_status_last_timestamp_seconds',
        'gauge',
        'When a plugin named a key id last.',
        this.#keySeenAt,
      ),
      family('envelope_encryption_invalid_key_id_from_status_total', 'counter', 'Invalid key ids of plugins.', this.#invalidKeyIds),
      family('envelope_encryption_dek_source_cache_size', 'gauge', 'Decrypted data keys that are kept.', this.#cachedKeys),
      family('encryption_config_controller_automatic_reloads_total', 'counter', 'Reloads of the configuration.', this.#reloads),
      family(
        'encryption_config_controller_automatic_reload_last_timestamp_seconds',
        'gauge',
        'When the configuration was reloaded last.',
        this.#reloadedAt,
      ),
      family('encryption_config_controller_last_config_info', 'gauge', 'The hash of the configuration in use.', config),
    ]
  }

  #seconds(): number {
    return this.#clock.now() / 1000
  }

  #since(startedAtMs: number): number {
    return (this.#clock.monotonic() - startedAtMs) / 1000
  }
}

const family = familiesOf('apiserver_')

function dropOldest(series: Map<string, number>): void {
  for (const key of series.keys()) {
    series.delete(key)
    return
  }
}
