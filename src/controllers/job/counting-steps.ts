import type { KubeObject } from '../../machinery/object.ts'

/** The most pods that a status names as ended and not counted yet, as upstream. */
const MOST_UNCOUNTED = 500

/** What is to be told of a job, and the pods that are counted with it. */
export interface Count {
  readonly status: KubeObject['status']
  /** Pods that are counted in this status: their finalizer may go when it is written. */
  readonly release: readonly KubeObject[]
  /** Those of them that are new in its numbers, and the numbers without them. */
  readonly counting: {
    readonly succeeded: readonly KubeObject[]
    readonly failed: readonly KubeObject[]
    readonly before: { readonly succeeded: number; readonly failed: number }
  }
}

/** A status to be written, and the pods whose finalizer may go once it is. */
export interface CountingStep {
  readonly status: KubeObject['status']
  readonly release: readonly KubeObject[]
}

/** `status.uncountedTerminatedPods` of a Job. */
interface Uncounted {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}

/**
 * How a plan's counts get into the status so that no pod is counted twice or lost, wherever the controller is cut off: the status names the pods, they lose
 * their finalizer, and then they are numbers. What a status names and has no finalizer is counted by whoever reads it next (`settled`). Pure.
 */
export function countingSteps(plan: Count): readonly CountingStep[] {
  const { succeeded, failed, before } = plan.counting
  const waiting = [...succeeded.map((pod) => ({ pod, ok: true })), ...failed.map((pod) => ({ pod, ok: false }))]
  const steps: CountingStep[] = []
  const numbers = { ...before }
  for (let i = 0; i < waiting.length; i += MOST_UNCOUNTED) {
    const chunk = waiting.slice(i, i + MOST_UNCOUNTED)
    const [good, bad] = [chunk.filter((w) => w.ok), chunk.filter((w) => !w.ok)]
    const uncountedTerminatedPods: Uncounted = { ...named('succeeded', good), ...named('failed', bad) }
    steps.push({ status: { ...unfinished(plan.status, numbers), uncountedTerminatedPods }, release: chunk.map((w) => w.pod) })
    numbers.succeeded += good.length
    numbers.failed += bad.length
  }
  const counted = new Set(waiting.map((w) => w.pod))
  return [...steps, { status: plan.status, release: plan.release.filter((p) => !counted.has(p)) }]
}

/** Pods that the status names and that have lost their finalizer: they are to be in its numbers now. */
export function settled(job: KubeObject, tracked: readonly KubeObject[]): { succeeded: number; failed: number } {
  const uncounted: Uncounted = job.status?.uncountedTerminatedPods ?? {}
  const held = new Set(tracked.map((p) => p.metadata.uid))
  const gone = (uids: readonly string[] = []) => uids.filter((uid) => !held.has(uid)).length
  return { succeeded: gone(uncounted.succeeded), failed: gone(uncounted.failed) }
}

const named = (list: keyof Uncounted, pods: readonly { pod: KubeObject }[]): Uncounted =>
  pods.length === 0 ? {} : { [list]: pods.map(({ pod }) => pod.metadata.uid ?? '') }

/** The status before its pods are counted: the job has not ended yet. */
function unfinished(status: KubeObject['status'], numbers: { succeeded: number; failed: number }): KubeObject['status'] {
  const { completionTime: _, conditions, succeeded, failed: __, ...kept } = status ?? {}
  const open = conditions?.filter((c: { type: string }) => c.type !== 'Complete' && c.type !== 'Failed') ?? []
  const indexed = kept.completedIndexes !== undefined
  const good = indexed ? succeeded : numbers.succeeded
  return {
    ...kept,
    ...(open.length === 0 ? {} : { conditions: open }),
    ...(good ? { succeeded: good } : {}),
    ...(numbers.failed === 0 ? {} : { failed: numbers.failed }),
  }
}
