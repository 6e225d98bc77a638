import { actFor } from '../../base/cause.ts'
import { onAbort } from '../../base/on-abort.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { PlannedStep } from '../../resources/bowsprit/controller-report.ts'
import type { BegunReconciliation, ControllerActivity } from '../controller/controller-activity.ts'
import { isOrdinaryRace } from '../controller/ordinary-race.ts'
import { publishReconcileError } from '../controller/reconcile-errors.ts'
import { WorkQueue } from '../controller/work-queue.ts'
import { boundClient } from './bound-client.ts'
import { TerminalError } from './controller.ts'
import { feedQueue } from './feed-queue.ts'
import type { ReconcileOutcome } from './operator-metrics.ts'
import { reconcileObject } from './reconcile-object.ts'
import type { ObjectMemory, Workplace } from './workplace.ts'

/** Runs a controller whose copies are complete until the signal is aborted; resolves when the last reconciliation has ended. */
export async function runControllerPart(place: Workplace, signal: AbortSignal): Promise<void> {
  const { controller, clock, metrics } = place
  const { firstMs = 5, maxMs = 1_000_000, perSecond = 10, burst = 100 } = controller.config.rateLimit ?? {}
  const queue = new WorkQueue({ clock, firstMs, maxMs, bucket: { perSecond, burst }, observer: metrics })
  const stopFeeding = feedQueue(place, queue)
  using _ = onAbort(signal, () => queue.close())
  const { name, workers } = controller
  using activity = place.activities?.open({ name, queue, workers })
  const part: Part = { place, queue, memories: new Map(), activity }
  try {
    await Promise.all(Array.from({ length: workers }, () => work(part, signal)))
  } finally {
    stopFeeding()
    queue.close()
  }
}

/** A controller while it runs. */
interface Part {
  readonly place: Workplace
  readonly queue: WorkQueue
  readonly memories: Map<string, ObjectMemory>
  readonly activity: ControllerActivity | undefined
}

async function work(part: Part, signal: AbortSignal): Promise<void> {
  const { place, queue, activity } = part
  const { clock, metrics, controller } = place
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const taken = key
    const startMs = clock.monotonic()
    metrics.began()
    const revision = queue.takeCause(taken)
    const begun = activity?.begin(taken, revision)
    const cause = revision === undefined ? undefined : { revision, controller: controller.name }
    const { ended, error } = await actFor(cause, () => once(part, taken, begun, signal), begun?.note)
    begun?.end(error)
    metrics.ended(ended, (clock.monotonic() - startMs) / 1000)
    queue.done(taken)
  }
}

interface Ended {
  readonly ended: ReconcileOutcome
  /** Undefined unless it failed. */
  readonly error?: unknown
}

/** One reconciliation, which throws nothing. */
async function once(
  { place, queue, memories }: Part,
  key: string,
  begun: BegunReconciliation | undefined,
  signal: AbortSignal,
): Promise<Ended> {
  const { clock, controller } = place
  const own = new AbortController()
  let over = false
  const { timeoutMs } = controller.config
  const late = timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => own.abort(new Error(`not done after ${timeoutMs} ms`)))
  using _ = onAbort(signal, () => own.abort(signal.reason))
  try {
    const client = boundClient(place.client, own.signal, () => over)
    const planned = (step: PlannedStep) => begun?.planned(step)
    const againMs = await reconcileObject({ ...place, client, planned }, memories, key, own.signal)
    if (againMs !== undefined && !(againMs >= 0)) throw new TerminalError(`requeueAfterMs is ${againMs}: it must be 0 or more`)
    if (againMs === 0) {
      queue.addRateLimited(key)
      return { ended: 'requeue' }
    }
    queue.forget(key)
    if (againMs === undefined) return { ended: 'success' }
    planned({ step: 'again', afterMs: againMs })
    queue.addAfter(key, againMs)
    return { ended: 'requeue_after' }
  } catch (error) {
    if (!signal.aborted) failed(place, queue, key, error)
    return { ended: 'error', error }
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
