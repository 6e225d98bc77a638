import type { Cancel, Clock } from '../../base/clock.ts'
import { liveFile } from '../../base/live-text.ts'
import { messageOf } from '../../base/message-of.ts'
import { joinErrors } from '../../machinery/join-errors.ts'
import type { GroupResource } from '../../machinery/status-error.ts'
import type { ValueTransformer } from '../../storage/encryption/value-transformer.ts'
import { buildTransformers, type ResourceTransformers, type TransformerDeps } from './build-transformers.ts'
import { parseEncryptionFile, readEncryptionFile } from './load-encryption.ts'

/** Where the configuration is. */
export interface EncryptionOptions {
  readonly file: string
  /** Follow the file: a new configuration is used as soon as it is valid and its KMS plugins are healthy. */
  readonly reloads: boolean
}

/** The file is also looked at by the clock: a failed reload is tried again, and some file systems report no changes. */
const LOOK_EVERY_MS = 60_000
/** How long the plugins of a new configuration may take to become healthy, and how often they are asked. */
const LEAST_PATIENCE_MS = 10_000
const ASK_EVERY_MS = 100

/** Encryption at rest by a configuration file. */
export class LiveEncryption implements AsyncDisposable {
  readonly #options: EncryptionOptions
  readonly #deps: TransformerDeps
  readonly #stop = new AbortController()
  #current: ResourceTransformers
  #hash: string
  #reloading: Promise<void> | undefined
  #watching: Disposable | undefined
  #stopLooking: Cancel = () => {}
  /** Earlier transformers, whose calls may be under way. */
  readonly #retired = new Set<ResourceTransformers>()

  private constructor(options: EncryptionOptions, deps: TransformerDeps, hash: string, current: ResourceTransformers) {
    this.#options = options
    this.#deps = deps
    this.#hash = hash
    this.#current = current
    deps.metrics.configured(hash)
  }

  /** @throws {EncryptionConfigurationError} */
  static async open(options: EncryptionOptions, deps: TransformerDeps): Promise<LiveEncryption> {
    const { text, hash } = readEncryptionFile(options.file)
    const current = await buildTransformers(parseEncryptionFile(options.file, text, options.reloads), deps)
    const encryption = new LiveEncryption(options, deps, hash, current)
    if (options.reloads) encryption.#follow()
    return encryption
  }

  /** The transformer of a resource by the present configuration. */
  transformerOf(resource: GroupResource): ValueTransformer {
    return this.#current.of(resource)
  }

  /** Whether the server has a health check for the plugins: also without plugins where the configuration may change. */
  get isChecked(): boolean {
    return this.#options.reloads || this.#current.kms.length > 0
  }

  /** Why the plugins cannot be used; undefined if they can. */
  async check(): Promise<string | undefined> {
    return faultsOf(this.#current)
  }

  /** Uses the content of the file, if it has changed and is valid. */
  reload(): Promise<void> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = undefined
    })
    return this.#reloading
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#stopLooking()
    this.#watching?.[Symbol.dispose]()
    await this.#reloading
    for (const one of [...this.#retired, this.#current]) one[Symbol.dispose]()
  }

  #follow(): void {
    this.#watching = liveFile(this.#options.file).watch(() => void this.reload())
    this.#lookLater()
  }

  #lookLater(): void {
    this.#stopLooking = this.#deps.clock.after(LOOK_EVERY_MS, () => {
      void this.reload()
      this.#lookLater()
    })
  }

  /** Whatever fails, the present configuration stays in use. */
  async #reload(): Promise<void> {
    const { file } = this.#options
    const { metrics, log } = this.#deps
    let next: ResourceTransformers | undefined
    try {
      const { text, hash } = readEncryptionFile(file)
      if (hash === this.#hash) return
      next = await buildTransformers(parseEncryptionFile(file, text, true), this.#deps)
      await healthy(next, this.#deps.clock, this.#stop.signal)
      this.#use(next, hash)
      metrics.reloaded('success')
      metrics.configured(hash)
    } catch (error) {
      next?.[Symbol.dispose]()
      metrics.reloaded('failure')
      log.error('the encryption configuration cannot be used; the one before it stays in use', { file, error: messageOf(error) })
    }
  }

  #use(next: ResourceTransformers, hash: string): void {
    const old = this.#current
    this.#current = next
    this.#hash = hash
    this.#retired.add(old)
    this.#deps.clock.after(2 * old.kmsTimeoutMs, () => {
      if (this.#retired.delete(old)) old[Symbol.dispose]()
    })
  }
}

async function faultsOf({ kms }: ResourceTransformers): Promise<string | undefined> {
  const found = await Promise.all(kms.map(async (provider, i) => ({ error: await provider.check(), i })))
  const faults = found.flatMap(({ error, i }) => (error === undefined ? [] : [`kms-provider-${i}: ${error.message}`]))
  return faults.length === 0 ? undefined : joinErrors(faults)
}

/** Waits for the plugins. @throws {Error} if they do not become healthy in time */
async function healthy(transformers: ResourceTransformers, clock: Clock, signal: AbortSignal): Promise<void> {
  const until = clock.now() + Math.max(LEAST_PATIENCE_MS, 2 * transformers.kmsTimeoutMs)
  for (;;) {
    const fault = await faultsOf(transformers)
    if (fault === undefined) return
    if (clock.now() >= until || signal.aborted) throw new Error(`health check for new transformers failed: ${fault}`)
    await clock.sleep(ASK_EVERY_MS, signal)
  }
}
