import { onAbort } from '../../base/on-abort.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { isOrdinaryRace } from '../controller/ordinary-race.ts'
import { publishReconcileError } from '../controller/reconcile-errors.ts'
import { WorkQueue } from '../controller/work-queue.ts'
import { boundClient } from './bound-client.ts'
import { TerminalError } from './controller.ts'
import { feedQueue } from './feed-queue.ts'
import { reconcileObject } from './reconcile-object.ts'
import type { ObjectMemory, Workplace } from './workplace.ts'

/** Runs a controller whose copies are complete until the signal is aborted; resolves when the last reconciliation has ended. */
export async function runControllerPart(place: Workplace, signal: AbortSignal): Promise<void> {
  const { controller, clock, metrics } = place
  const { firstMs = 5, maxMs = 1_000_000, perSecond = 10, burst = 100 } = controller.config.rateLimit ?? {}
  const queue = new WorkQueue({ clock, firstMs, maxMs, bucket: { perSecond, burst }, observer: metrics })
  const stopFeeding = feedQueue(place, queue)
  using _ = onAbort(signal, () => queue.close())
  const memories = new Map<string, ObjectMemory>()
  try {
    await Promise.all(Array.from({ length: controller.workers }, () => work(place, queue, memories, signal)))
  } finally {
    stopFeeding()
    queue.close()
  }
}

async function work(place: Workplace, queue: WorkQueue, memories: Map<string, ObjectMemory>, signal: AbortSignal): Promise<void> {
  const { clock, metrics } = place
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const startMs = clock.monotonic()
    metrics.began()
    const outcome = await once(place, queue, memories, key, signal)
    metrics.ended(outcome, (clock.monotonic() - startMs) / 1000)
    queue.done(key)
  }
}

type Ended = 'success' | 'error' | 'requeue' | 'requeue_after'

/** One reconciliation, which throws nothing. */
async function once(
  place: Workplace,
  queue: WorkQueue,
  memories: Map<string, ObjectMemory>,
  key: string,
  signal: AbortSignal,
): Promise<Ended> {
  const { clock, controller } = place
  const own = new AbortController()
  let over = false
  const { timeoutMs } = controller.config
  const late = timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => own.abort(new Error(`not done after ${timeoutMs} ms`)))
  using _ = onAbort(signal, () => own.abort(signal.reason))
  try {
    const againMs = await reconcileObject(
      { ...place, client: boundClient(place.client, own.signal, () => over) },
      memories,
      key,
      own.signal,
    )
    if (againMs !== undefined && !(againMs >= 0)) throw new TerminalError(`requeueAfterMs is ${againMs}: it must be 0 or more`)
    if (againMs === 0) {
      queue.addRateLimited(key)
      return 'requeue'
    }
    queue.forget(key)
    if (againMs === undefined) return 'success'
    queue.addAfter(key, againMs)
    return 'requeue_after'
  } catch (error) {
    if (!signal.aborted) failed(place, queue, key, error)
    return 'error'
  } finally {
    late()
    // A promise that was left running must not write any more.
    over = true
    own.abort(new Error('the reconciliation is over'))
  }
}

function failed({ controller, metrics, log }: Workplace, queue: WorkQueue, key: string, error: unknown): void {
  const facts = { controller: controller.name, object: key, error }
  publishReconcileError({ name: controller.name, key, error })
  if (error instanceof TerminalError) {
    metrics.terminal()
    queue.forget(key)
    log.error(`${controller.name} gives ${key} up until something changes: ${error.message}`, facts)
    return
  }
  if (!isStatus(error)) metrics.panicked()
  log[isOrdinaryRace(error) ? 'debug' : 'warn'](`${controller.name} could not reconcile ${key}, trying again`, facts)
  queue.addRateLimited(key)
}
