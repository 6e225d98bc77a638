import { actFor } from '../../base/cause.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { onAbort, untilAborted } from '../../base/on-abort.ts'
import type { ControllerActivities, ControllerActivity } from './controller-activity.ts'
import { isOrdinaryRace } from './ordinary-race.ts'
import { publishReconcileError } from './reconcile-errors.ts'
import type { WorkQueue } from './work-queue.ts'

/** The result of a reconciliation: nothing, or a later retry. */
export type ReconcileResult = { readonly requeueAfterMs: number } | undefined

/** What a controller works on, and how. */
export interface ControllerOptions {
  /** For the log. */
  readonly name: string
  /** Fed by handlers of informers, usually with `objectKey`. It is closed when the controller ends. */
  readonly queue: WorkQueue
  /** How many keys are worked on at once. Default 1. */
  readonly workers?: number
  /** Waited for before the first key is taken: the informers' `synced`. */
  readonly ready?: readonly Promise<void>[]
  /**
   * Brings the cluster to the state that the object describes, however often it is called. Never called twice at once with the same key. An
   * exception is logged (except a Conflict), and the key is retried.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult> | Promise<void>
  /** Default: no log. */
  readonly log?: Logger
}

/** A controller that is listed while it runs. */
export interface ListedControllerOptions extends ControllerOptions {
  /** Where; its last reconciliations are kept there. Undefined: nowhere. */
  readonly activities: ControllerActivities | undefined
}

/**
 * Takes keys from the queue and reconciles them until the signal is aborted; a key that fails comes again with growing waits.
 *
 * ```ts
 * const gadgets = createInformer({ client, target: { group: 'example.com', version: 'v1', resource: 'gadgets' } })
 * const queue = new WorkQueue()
 * gadgets.addHandler({ added: (g) => queue.add(objectKey(g)), updated: (g) => queue.add(objectKey(g)) })
 * const reconcile = async (key: string) => {
 *   const gadget = gadgets.get(key)
 *   if (gadget !== undefined) await makeWhatItSays(gadget)
 * }
 * await Promise.all([gadgets.run(signal), runController({ name: 'gadgets', queue, ready: [gadgets.synced], reconcile }, signal)])
 * ```
 */
export function runController(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  return runListedController({ ...options, activities: undefined }, signal)
}

/** The same, for a controller that `controllerreports` show. */
export async function runListedController(options: ListedControllerOptions, signal: AbortSignal): Promise<void> {
  const { queue, ready = [], workers = 1 } = options
  using _ = onAbort(signal, () => queue.close())
  if (signal.aborted) return
  await Promise.race([Promise.all(ready), untilAborted(signal)])
  if (signal.aborted) return
  using activity = options.activities?.open({ name: options.name, queue, workers })
  await Promise.all(Array.from({ length: workers }, () => work(options, activity, signal)))
}

async function work(options: ControllerOptions, activity: ControllerActivity | undefined, signal: AbortSignal): Promise<void> {
  const { queue, name } = options
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const taken = key
    const revision = queue.takeCause(taken)
    const cause = revision === undefined ? undefined : { revision, controller: name }
    const begun = activity?.begin(taken, cause?.revision)
    const error = await actFor(cause, () => reconcileKey(options, taken, signal), begun?.note)
    begun?.end(error)
    queue.done(taken)
  }
}

/** Resolves with the error for which the key is tried again. */
async function reconcileKey(
  { queue, reconcile, log = silentLogger, name }: ControllerOptions,
  key: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const result = await reconcile(key, signal)
    queue.forget(key)
    if (result !== undefined) queue.addAfter(key, result.requeueAfterMs)
    return undefined
  } catch (error) {
    if (signal.aborted) return undefined
    publishReconcileError({ name, key, error })
    log[isOrdinaryRace(error) ? 'debug' : 'warn'](`${name} could not reconcile ${key}, trying again`, { error })
    queue.addRateLimited(key)
    return error
  }
}
