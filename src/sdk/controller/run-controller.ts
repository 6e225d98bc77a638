import { type Logger, silentLogger } from '../../base/logger.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { WorkQueue } from './work-queue.ts'

/** What a reconciliation asks for: nothing, or to be called again after a while. */
export type ReconcileResult = { readonly requeueAfterMs: number } | undefined

export interface ControllerOptions {
  /** For the log. */
  readonly name: string
  readonly queue: WorkQueue
  /** How many keys are worked on at once. Default 1. */
  readonly workers?: number
  /** Waited for before the first key is taken: the informers' `synced`. */
  readonly ready?: readonly Promise<void>[]
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult> | Promise<void>
  readonly log?: Logger
}

/** Takes keys from the queue and reconciles them until the signal is aborted; a key that fails comes again with growing waits. */
export async function runController(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  const { queue, ready = [], workers = 1 } = options
  const stop = () => queue.close()
  if (signal.aborted) return stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([Promise.all(ready), aborted(signal)])
    if (signal.aborted) return
    await Promise.all(Array.from({ length: workers }, () => work(options, signal)))
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function work(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  const { queue, reconcile, log = silentLogger, name } = options
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    try {
      const result = await reconcile(key, signal)
      queue.forget(key)
      if (result !== undefined) queue.addAfter(key, result.requeueAfterMs)
    } catch (error) {
      if (signal.aborted) return
      // A conflict says only that the local copy is behind: the event is on its way.
      if (!isStatus(error, 'Conflict')) log.warn(`${name} could not reconcile ${key}, trying again`, { error })
      queue.addRateLimited(key)
    } finally {
      queue.done(key)
    }
  }
}

const aborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
