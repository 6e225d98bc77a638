import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { errorOf } from '../base/message-of.ts'
import { pause } from '../base/pause.ts'

/** A part of the cluster has ended for good; `cause` is why. */
export class PartError extends Error {
  override readonly name = 'PartError'
  readonly code = 'part-failed'
  /** `store`, `controllers`, `scheduler`, `nodes`. */
  readonly part: string
  constructor(part: string, cause: Error) {
    super(`part ${part} of the cluster has failed: ${cause.message}`, { cause })
    this.part = part
  }
}

/** One failure of a part. */
export interface PartDeath {
  readonly part: string
  readonly error: Error
  /** The delay before it is restarted; undefined when it is given up. */
  readonly restartMs: number | undefined
}

export interface SupervisorDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Ends every part. */
  readonly signal: AbortSignal
  /** Called at each failure, also when the part is restarted. */
  readonly died?: (death: PartDeath) => void
}

/** Runs a part until the signal is aborted. */
export type RunPart = (signal: AbortSignal) => Promise<void>

/**
 * The delay before a restart doubles. A part is given up after `attempts` failures in a row; one that ran for `forgetMs` starts a new row.
 */
export const RESTART = { firstMs: 500, maxMs: 30_000, attempts: 6, forgetMs: 60_000 } as const

/**
 * Keeps the parts of a cluster running. Parts are clients that rebuild their state from the API, so each can be restarted at any time.
 * Their failures never become rejections in the host process.
 */
export class Supervisor {
  /** Resolves with the first part that is given up. */
  readonly failed: Promise<PartError>
  readonly #deps: SupervisorDeps
  readonly #running = new Set<Promise<void>>()
  #give: (error: PartError) => void = () => {}

  constructor(deps: SupervisorDeps) {
    this.#deps = deps
    this.failed = new Promise((resolve) => {
      this.#give = resolve
    })
  }

  /** Runs a part from now on. When `load` fails the part is given up at once, because Node caches the failure of a module. */
  start(part: string, load: () => Promise<RunPart>): void {
    const running: Promise<void> = this.#keep(part, load).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** A part that must not be started again has failed. */
  fail(part: string, reason: unknown): void {
    this.#died(part, reason, undefined)
  }

  /** A part that another supervisor keeps has failed. */
  died({ part, error, restartMs }: PartDeath): void {
    const { log, died } = this.#deps
    if (restartMs === undefined) {
      log.error(`part ${part} of the cluster has failed and is not started again`, { error })
      this.#give(new PartError(part, error))
    } else log.warn(`part ${part} of the cluster has died and is started again`, { error, restartMs })
    died?.({ part, error, restartMs })
  }

  /** Resolves when every part has ended. Abort the signal first. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #keep(part: string, load: () => Promise<RunPart>): Promise<void> {
    const { clock, signal } = this.#deps
    let run: RunPart
    try {
      run = await load()
    } catch (error) {
      if (!signal.aborted) this.#died(part, error, undefined)
      return
    }
    for (let deaths = 0; !signal.aborted; ) {
      const bornMs = clock.monotonic()
      const error = await this.#live(run)
      if (signal.aborted) return
      deaths = clock.monotonic() - bornMs >= RESTART.forgetMs ? 1 : deaths + 1
      const restartMs = deaths >= RESTART.attempts ? undefined : Math.min(RESTART.firstMs * 2 ** (deaths - 1), RESTART.maxMs)
      this.#died(part, error, restartMs)
      if (restartMs === undefined) return
      await pause(clock, restartMs, signal)
    }
  }

  /** Runs the part once and resolves with the reason of its end. Whatever it has left running is aborted. */
  async #live(run: RunPart): Promise<unknown> {
    const life = new AbortController()
    try {
      await run(AbortSignal.any([this.#deps.signal, life.signal]))
      return new Error('it ended by itself')
    } catch (error) {
      return error
    } finally {
      life.abort()
    }
  }

  #died(part: string, reason: unknown, restartMs: number | undefined): void {
    this.died({ part, error: errorOf(reason), restartMs })
  }
}
