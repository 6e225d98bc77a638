import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import type { SimulatedExit } from '../../../node/runtime/simulated/play.ts'
import type { Link, Services } from '../../../threads/link.ts'
import type { RunnerLimits } from '../../threads/runner-limits.ts'
import type { ProgramsSession, ProgramsSessions } from './programs-session.ts'
import type { RunnerData } from './runner-data.ts'
import { type Runner, type RunnerEnd, startRunner } from './runner-process.ts'

/** Files of containers take up to 512 MiB beside the heap. */
export const PROGRAM_LIMITS: RunnerLimits = { stuckMs: 10_000, stopMs: 1000, heapMb: 512, memoryMb: 1536 }

/** The delay before a runner is started again doubles while runners end sooner than after `forgetMs`. */
const RESTART = { firstMs: 100, maxMs: 10_000, forgetMs: 60_000 } as const

export interface RunnerSessionsDeps {
  readonly data: Omit<RunnerData, 'limits' | 'parent'>
  /** What the runner may ask for. */
  readonly services: (link: Link) => Services
  /** Called with each runner's link before anything is asked of it. */
  readonly opened: (link: Link) => void
  readonly clock: Clock
  readonly log: Logger
  /** Default: `PROGRAM_LIMITS`. */
  readonly limits?: RunnerLimits
}

interface RunningSession extends ProgramsSession {
  readonly runner: Runner
  readonly startedAtMs: number
}

/** Keeps one runner for the programs of all containers, from the first container that has one. */
export class RunnerSessions implements ProgramsSessions, AsyncDisposable {
  readonly #deps: RunnerSessionsDeps
  readonly #stop = new AbortController()
  #current: RunningSession | undefined
  #starting: Promise<RunningSession> | undefined
  #delayMs = 0

  constructor(deps: RunnerSessionsDeps) {
    this.#deps = deps
  }

  get current(): ProgramsSession | undefined {
    return this.#current
  }

  session(): Promise<ProgramsSession> {
    if (this.#current !== undefined) return Promise.resolve(this.#current)
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the cluster stops'))
    await this.#current?.runner.stop()
  }

  async #start(): Promise<RunningSession> {
    const { clock, data, services, opened, log, limits = PROGRAM_LIMITS } = this.#deps
    if (this.#delayMs > 0) await clock.sleep(this.#delayMs, this.#stop.signal)
    this.#stop.signal.throwIfAborted()
    const runner = startRunner({ ...data, limits }, services, clock)
    log.info('a process for the programs of containers has started', { pid: runner.pid })
    let last = 0
    const session: RunningSession = {
      runner,
      link: runner.link,
      number: () => ++last,
      verdict: async (container) => exitOf(await runner.ended, container),
      startedAtMs: clock.now(),
    }
    this.#current = session
    void runner.ended.then((end) => this.#ended(session, end))
    opened(runner.link)
    return session
  }

  #ended(session: RunningSession, { message }: RunnerEnd): void {
    const { clock, log } = this.#deps
    this.#current = undefined
    if (this.#stop.signal.aborted) return
    const lasted = clock.now() - session.startedAtMs
    this.#delayMs = lasted > RESTART.forgetMs ? RESTART.firstMs : Math.min(Math.max(this.#delayMs * 2, RESTART.firstMs), RESTART.maxMs)
    log.warn('the programs of containers have ended with their process, and their containers are restarted', { reason: message })
  }
}

const KILLED = 137

/** How a container ended with its runner. */
export function exitOf({ why, message, blamed }: RunnerEnd, container: number): SimulatedExit {
  if (container !== blamed)
    return { exitCode: KILLED, reason: 'Error', message: `killed with the process of all programs, for another container: ${message}` }
  if (why === 'full') return { exitCode: KILLED, reason: 'OOMKilled', message: 'the program has filled the memory that all programs share' }
  return { exitCode: KILLED, reason: 'Error', message: `killed: ${message}` }
}
