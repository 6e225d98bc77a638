import type { Job, JobStatus, UncountedTerminatedPods } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'

/** A status names at most so many ended pods that are not counted yet, as upstream. */
const MOST_UNCOUNTED = 500

/** A job's status, and the pods that are counted in it. */
export interface Count {
  readonly status: JobStatus
  /** Pods that are counted in this status: their finalizer may go when it is written. */
  readonly release: readonly Pod[]
  /** Those of them that are new in its numbers, and the numbers without them. */
  readonly counting: {
    readonly succeeded: readonly Pod[]
    readonly failed: readonly Pod[]
    readonly before: { readonly succeeded: number; readonly failed: number }
  }
}

/** A status to be written, and the pods whose finalizer may go once it is. */
export interface CountingStep {
  readonly status: JobStatus
  readonly release: readonly Pod[]
}

/**
 * Counts pods so that none is counted twice or lost, wherever the controller is interrupted: the status names the pods, they lose their
 * finalizer, then the numbers include them. Pods that a status names and that have no finalizer are added to the numbers by the next round
 * (`countedBefore`). Pure.
 */
export function countingSteps(plan: Count): readonly CountingStep[] {
  const { succeeded, failed, before } = plan.counting
  const waiting = [...succeeded.map((pod) => ({ pod, ok: true })), ...failed.map((pod) => ({ pod, ok: false }))]
  const steps: CountingStep[] = []
  const numbers = { ...before }
  for (let i = 0; i < waiting.length; i += MOST_UNCOUNTED) {
    const chunk = waiting.slice(i, i + MOST_UNCOUNTED)
    const [good, bad] = [chunk.filter((w) => w.ok), chunk.filter((w) => !w.ok)]
    const uncountedTerminatedPods: UncountedTerminatedPods = { ...named('succeeded', good), ...named('failed', bad) }
    steps.push({ status: { ...unfinished(plan.status, numbers), uncountedTerminatedPods }, release: chunk.map((w) => w.pod) })
    numbers.succeeded += good.length
    numbers.failed += bad.length
  }
  const counted = new Set(waiting.map((w) => w.pod))
  return [...steps, { status: plan.status, release: plan.release.filter((p) => !counted.has(p)) }]
}

/** How many pods the status names that have lost their finalizer: they belong into the numbers now. */
export function countedBefore(job: Job, tracked: readonly Pod[]): { succeeded: number; failed: number } {
  const uncounted: UncountedTerminatedPods = job.status?.uncountedTerminatedPods ?? {}
  const held = new Set(tracked.map((p) => p.metadata.uid))
  const gone = (uids: readonly string[] = []) => uids.filter((uid) => !held.has(uid)).length
  return { succeeded: gone(uncounted.succeeded), failed: gone(uncounted.failed) }
}

const named = (list: keyof UncountedTerminatedPods, pods: readonly { pod: Pod }[]): UncountedTerminatedPods =>
  pods.length === 0 ? {} : { [list]: pods.map(({ pod }) => pod.metadata.uid ?? '') }

/** The status before its pods are counted: the job has not ended yet. */
function unfinished(status: JobStatus, numbers: { succeeded: number; failed: number }): JobStatus {
  const { completionTime: _, conditions, succeeded, failed: __, ...kept } = status ?? {}
  const open = conditions?.filter((c) => c.type !== 'Complete' && c.type !== 'Failed') ?? []
  const indexed = kept.completedIndexes !== undefined
  const good = indexed ? succeeded : numbers.succeeded
  return {
    ...kept,
    ...(open.length === 0 ? {} : { conditions: open }),
    ...(good ? { succeeded: good } : {}),
    ...(numbers.failed === 0 ? {} : { failed: numbers.failed }),
  }
}
