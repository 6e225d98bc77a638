import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { Signal } from '../../base/signal.ts'
import type { Transport } from '../../machinery/api-call.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { apiVersionOf } from '../../machinery/object.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../resources/refs.ts'
import { type DanglingCondition, planDangling } from './plan-dangling.ts'

export interface FlowSchemaConditionsDeps {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  /** A transport to the server, as a member of system:masters. */
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** The field manager is that of kube-apiserver. */
const QUERY = { fieldManager: 'api-priority-and-fairness-config-consumer-v1', force: 'true' }

/**
 * Servers that disagree, such as those of two releases, would overwrite each other's conditions without end: a flow schema that was written
 * more often than this within the period is left alone for 30 to 75 seconds.
 */
const WRITES_PER_PERIOD = 5
const PERIOD_MS = 60_000
const SHORTEST_PAUSE_MS = 30_000
const PAUSE_SPREAD_MS = 45_000
/** The delay until conditions that could not be written are tried again. */
const RETRY_MS = 1000

/** Maintains the condition Dangling of all flow schemas. Each server of a cluster does so, and writes only what it finds different. */
export class FlowSchemaConditions implements AsyncDisposable {
  readonly #deps: FlowSchemaConditionsDeps
  readonly #changed = new Signal()
  readonly #stops: (() => void)[]
  readonly #closing = new AbortController()
  /** The writes of the last period. */
  #writes: readonly { readonly name: string; readonly atMs: number }[] = []
  #running: Promise<void> | undefined

  constructor(deps: FlowSchemaConditionsDeps) {
    this.#deps = deps
    this.#stops = [FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS].map(({ group, resource }) =>
      deps.watchCache.onChange(group, resource, () => this.#changed.raise()),
    )
  }

  /** Resolves when the present flow schemas have been looked at; from then on it follows all changes. */
  async start(): Promise<void> {
    this.#running = this.#run(await this.#sync(), this.#closing.signal)
  }

  async #run(firstDelayMs: number | undefined, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    for (let delayMs = firstDelayMs; ; delayMs = await this.#sync()) {
      const untilMs = delayMs === undefined ? undefined : clock.now() + delayMs
      if ((await this.#changed.wait({ clock, untilMs, signal })) === 'aborted') return
    }
  }

  /** Writes the conditions that are wrong. Returns the milliseconds until it has to look again even if nothing changes. */
  async #sync(): Promise<number | undefined> {
    const { clock, random, watchCache } = this.#deps
    const plan = planDangling(listObjects(watchCache.reader, FLOW_SCHEMAS), listObjects(watchCache.reader, PRIORITY_LEVEL_CONFIGURATIONS))
    this.#writes = this.#writes.filter(({ atMs }) => clock.monotonic() - atMs <= PERIOD_MS)
    const due = [...plan].filter(([name]) => !this.#isWrittenTooOften(name))
    const written = await Promise.all(due.map(([name, condition]) => this.#write(name, condition)))
    if (written.includes(false)) return RETRY_MS
    return due.length < plan.size ? SHORTEST_PAUSE_MS + random.int(PAUSE_SPREAD_MS) : undefined
  }

  #isWrittenTooOften(name: string): boolean {
    return this.#writes.filter((write) => write.name === name).length > WRITES_PER_PERIOD
  }

  /** Returns false if the write has failed. */
  async #write(name: string, condition: DanglingCondition): Promise<boolean> {
    const { transport, clock, log } = this.#deps
    this.#writes = [...this.#writes, { name, atMs: clock.monotonic() }]
    const target = { ...FLOW_SCHEMAS, name, subresource: 'status' }
    const body = {
      apiVersion: apiVersionOf(FLOW_SCHEMAS),
      kind: 'FlowSchema',
      metadata: { name },
      status: { conditions: [{ ...condition, lastTransitionTime: timestamp(clock.now()) }] },
    }
    try {
      // It may have been deleted in the meantime.
      await transport.call({ verb: 'patch', target, query: QUERY, patchType: 'apply', body }).catch(ignoring('NotFound'))
      return true
    } catch (error) {
      log.warn('the status of a FlowSchema could not be written', { name, error })
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#closing.abort()
    await this.#running
  }
}
