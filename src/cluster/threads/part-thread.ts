import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { errorOf } from '../../base/message-of.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import { Link, type Services } from '../../threads/link.ts'
import type { RunPart } from '../supervisor.ts'
import type { ThreadLimits } from './thread-limits.ts'
import { PART_SERVICES } from './thread-protocol.ts'

export interface PartThreadDeps {
  readonly clock: Clock
  /** What the thread may ask for; `link` leads to it. */
  readonly services: (link: Link) => Services
  /** Called when the thread has started. */
  readonly started?: (worker: Worker) => void
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: ThreadLimits
  /** The module that runs in the thread. Default: `part-worker`. */
  readonly module?: URL
}

const DEFAULT_LIMITS: ThreadLimits = { stuckMs: 20_000, stopMs: 10_000, heapMb: 4096 }

/**
 * Runs a thread until the signal is aborted. Rejects with the reason for which it ended before: an error that it did not catch, a full
 * heap, an event loop that does not turn.
 */
export const runThread =
  (
    name: string,
    workerData: object,
    { clock, services, started, limits = DEFAULT_LIMITS, module = workerUrl() }: PartThreadDeps,
  ): RunPart =>
  async (signal) => {
    const worker = new Worker(module, {
      workerData,
      name,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
    })
    const link = new Link(worker)
    link.offer(services(link))
    started?.(worker)
    const ended = endOf(worker, name)
    const beats = new AbortController()
    try {
      await Promise.race([ended, whenStuck(link, name, { clock, stuckMs: limits.stuckMs, signal: beats.signal }), untilAborted(signal)])
      await Promise.race([link.ask(PART_SERVICES.stop, {}), ended, clock.sleep(limits.stopMs, beats.signal)])
    } finally {
      beats.abort()
      link.close(new Error(`thread ${name} has ended`))
      // V8 cannot interrupt every loop: such a thread is left behind.
      await Promise.race([worker.terminate(), clock.sleep(limits.stopMs)])
    }
  }

/** Rejects when the thread has ended by itself. */
function endOf(worker: Worker, name: string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  worker.on('error', (error: unknown) => reject(errorOf(error)))
  worker.on('exit', (code) => reject(new Error(`thread ${name} has exited with code ${code}`)))
  void quiet(promise, 'callers race against it')
  return promise
}

/** How often in `stuckMs` the thread is asked for a sign of life. */
const BEATS = 10

interface Watch {
  readonly clock: Clock
  readonly stuckMs: number
  readonly signal: AbortSignal
}

/** Rejects when the thread has not answered for so many beats of this thread: a process that was stopped as a whole is not stuck. */
async function whenStuck(link: Link, name: string, { clock, stuckMs, signal }: Watch): Promise<void> {
  let missed = 0
  let requested = false
  for (;;) {
    await clock.sleep(stuckMs / BEATS, signal)
    if (!requested) missed = 0
    else if (++missed >= BEATS) throw new Error(`thread ${name} was stuck: its event loop has not turned for ${stuckMs / 1000} s`)
    if (requested) continue
    requested = true
    link.ask(PART_SERVICES.alive, {}).then(
      () => {
        requested = false
      },
      () => {},
    )
  }
}

/** The worker lies beside this file: as source, or bundled as an entry point of its own. */
function workerUrl(): URL {
  const here = new URL(import.meta.url)
  return new URL(`./part-worker${path.extname(here.pathname)}`, here)
}
