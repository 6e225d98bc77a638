import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { Signal } from '../../base/signal.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../resources/refs.ts'
import { type BootstrapObject, flowControlObjects } from './bootstrap-objects.ts'
import { AUTO_UPDATE, type BootstrapDeps, ensure } from './ensure-bootstrap.ts'

export interface FlowControlDefaultsDeps extends Pick<BootstrapDeps, 'definitions' | 'transport'> {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly clock: Clock
  readonly log: Logger
}

const MINUTE_MS = 60_000

/**
 * Makes the default flow schemas and priority levels again, and repairs those that shall be kept, in the minute after somebody changed them
 * (Kubernetes looks every minute). Those that once were defaults are deleted. Each server of a cluster does so.
 */
export class FlowControlDefaults implements AsyncDisposable {
  readonly #deps: FlowControlDefaultsDeps
  readonly #changed = new Signal()
  readonly #stops: (() => void)[]
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: FlowControlDefaultsDeps) {
    this.#deps = deps
    this.#stops = [FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS].map(({ group, resource }) =>
      deps.watchCache.onChange(group, resource, () => this.#changed.raise()),
    )
  }

  start(): void {
    this.#running = this.#run(this.#closing.signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const startMs = clock.now()
    while ((await this.#changed.wait({ clock, untilMs: undefined, signal })) !== 'aborted') {
      const nextMs = MINUTE_MS - ((clock.now() - startMs) % MINUTE_MS)
      await pause(clock, nextMs, signal)
      if (signal.aborted) return
      await this.#ensureAll()
    }
  }

  async #ensureAll(): Promise<void> {
    const { watchCache, log } = this.#deps
    const wanted = flowControlObjects()
    try {
      for (const object of wanted) await ensure(object, { ...this.#deps, reader: watchCache.reader })
      const { reader } = watchCache
      await this.#deleteFormer(PRIORITY_LEVEL_CONFIGURATIONS, listObjects(reader, PRIORITY_LEVEL_CONFIGURATIONS), wanted)
      await this.#deleteFormer(FLOW_SCHEMAS, listObjects(reader, FLOW_SCHEMAS), wanted)
    } catch (error) {
      log.warn('the default flow schemas and priority levels could not be written', { error })
      this.#changed.raise()
    }
  }

  async #deleteFormer(
    { group, version, resource }: ResourceRef,
    present: readonly KubeObject[],
    wanted: readonly BootstrapObject[],
  ): Promise<void> {
    const names = new Set(wanted.filter((w) => w.resource === resource).map((w) => w.object.metadata.name))
    for (const { metadata } of present) {
      const { name = '', annotations } = metadata
      if (annotations?.[AUTO_UPDATE] !== 'true' || names.has(name)) continue
      const target = { group, version, resource, name }
      await this.#deps.transport.call({ verb: 'delete', target, query: {} }).catch(ignoring('NotFound'))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#closing.abort()
    await this.#running
  }
}
