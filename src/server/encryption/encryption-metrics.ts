import type { Clock } from '../../base/clock.ts'
import { exponentialBounds, type Family, labels, type Sample } from '../../base/exposition.ts'
import { type CounterMetric, counter, gauge, type HistogramInit, type HistogramMetric, MetricSet } from '../../base/metrics.ts'
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
  readonly #metrics = new MetricSet()
  readonly #operations = this.#counter('storage_transformation_operations_total', 'Transformations of stored values, by their results.', [
    'resource',
    'status',
    'transformation_type',
    'transformer_prefix',
  ])
  readonly #durations = this.#histogram({
    name: 'storage_transformation_duration_seconds',
    help: 'Time that transformations of values took.',
    labels: ['transformation_type', 'transformer_prefix'],
    bounds: TRANSFORM_SECONDS,
  })
  readonly #calls = this.#histogram({
    name: 'envelope_encryption_kms_operations_latency_seconds',
    help: 'Time that calls of KMS plugins took.',
    labels: ['grpc_status_code', 'method_name', 'provider_name'],
    bounds: CALL_SECONDS,
  })
  readonly #generations = this.#histogram({
    name: 'storage_data_key_generation_duration_seconds',
    help: 'Time that the making of data keys took.',
    bounds: GENERATION_SECONDS,
  })
  readonly #cacheMisses = this.#counter(
    'storage_envelope_transformation_cache_misses_total',
    'Data keys that a KMS plugin had to decrypt.',
    [],
  )
  readonly #invalidKeyIds = this.#counter('envelope_encryption_invalid_key_id_from_status_total', 'Invalid key ids of plugins.', [
    'error',
    'provider_name',
  ])
  readonly #reloads = this.#counter('encryption_config_controller_automatic_reloads_total', 'Reloads of the configuration.', [
    'apiserver_id_hash',
    'status',
  ])
  readonly #reloadedAt = new Map<string, number>()
  readonly #keyUses = new Map<string, number>()
  readonly #keyUsedAt = new Map<string, number>()
  readonly #keySeenAt = new Map<string, number>()
  readonly #cachedKeys = new Map<string, number>()
  #configHash: string | undefined

  constructor(clock: Clock, serverIdHash: string) {
    this.#clock = clock
    this.#server = serverIdHash
  }

  /** A value of a resource was encrypted or decrypted. */
  transformed(resource: string, { type, prefix, startedAtMs, error }: Transformation): void {
    const status = error === undefined ? 'OK' : error instanceof TransformError ? error.status : 'unknown-non-grpc'
    this.#operations.add([resource, status, type, prefix])
    if (error === undefined) this.#durations.observe(this.#since(startedAtMs), [type, prefix])
  }

  /** A call of a KMS plugin ended with a gRPC status. */
  called(provider: string, method: string, { status, startedAtMs }: { readonly status: string; readonly startedAtMs: number }): void {
    this.#calls.observe(this.#since(startedAtMs), [status, method, provider])
  }

  keyUsed(type: Transformation['type'], provider: string, keyIdHash: string): void {
    const key = labels({
      apiserver_id_hash: this.#server,
      key_id_hash: keyIdHash,
      provider_name: provider,
      transformation_type: type,
    })
    this.#keyUses.set(key, (this.#keyUses.get(key) ?? 0) + 1)
    this.#keyUsedAt.set(key, this.#seconds())
    if (this.#keyUses.size > MOST_KEY_IDS) for (const series of [this.#keyUses, this.#keyUsedAt]) dropOldest(series)
  }

  keyIdFromStatus(provider: string, keyIdHash: string): void {
    const key = labels({ apiserver_id_hash: this.#server, key_id_hash: keyIdHash, provider_name: provider })
    this.#keySeenAt.set(key, this.#seconds())
    if (this.#keySeenAt.size > MOST_KEY_IDS) dropOldest(this.#keySeenAt)
  }

  invalidKeyId(provider: string, error: 'empty' | 'too_long'): void {
    this.#invalidKeyIds.add([error, provider])
  }

  keysCached(provider: string, count: number): void {
    this.#cachedKeys.set(labels({ provider_name: provider }), count)
  }

  cacheMiss(): void {
    this.#cacheMisses.add()
  }

  dataKeyGenerated(startedAtMs: number): void {
    this.#generations.observe(this.#since(startedAtMs))
  }

  /** A configuration came into use; it is no reload when the server starts. */
  configured(hash: string): void {
    this.#configHash = hash
  }

  reloaded(status: 'success' | 'failure'): void {
    this.#reloads.add([this.#server, status])
    this.#reloadedAt.set(labels({ apiserver_id_hash: this.#server, status }), this.#seconds())
  }

  families(): Family[] {
    const value = (name: string, help: string, samples: Iterable<Sample>) => gauge({ name: `apiserver_${name}`, help }, samples)
    const config: Sample[] =
      this.#configHash === undefined ? [] : [[labels({ apiserver_id_hash: this.#server, hash: this.#configHash }), 1]]
    const keyUses = { name: 'apiserver_envelope_encryption_key_id_hash_total', help: 'Uses of key ids.' }
    return [
      ...this.#metrics.families(),
      counter(keyUses, this.#keyUses),
      value('envelope_encryption_key_id_hash_last_timestamp_seconds', 'When a key id was used last.', this.#keyUsedAt),
      value('envelope_encryption_key_id_hash_status_last_timestamp_seconds', 'When a plugin named a key id last.', this.#keySeenAt),
      value('envelope_encryption_dek_source_cache_size', 'Decrypted data keys that are kept.', this.#cachedKeys),
      value(
        'encryption_config_controller_automatic_reload_last_timestamp_seconds',
        'When the configuration was reloaded last.',
        this.#reloadedAt,
      ),
      value('encryption_config_controller_last_config_info', 'The hash of the configuration in use.', config),
    ]
  }

  #counter(name: string, help: string, labels: readonly string[]): CounterMetric {
    return this.#metrics.counter({ name: `apiserver_${name}`, help, labels })
  }

  #histogram(init: HistogramInit): HistogramMetric {
    return this.#metrics.histogram({ ...init, name: `apiserver_${init.name}` })
  }

  #seconds(): number {
    return this.#clock.now() / 1000
  }

  #since(startedAtMs: number): number {
    return (this.#clock.monotonic() - startedAtMs) / 1000
  }
}

function dropOldest(series: Map<string, number>): void {
  for (const key of series.keys()) {
    series.delete(key)
    return
  }
}
