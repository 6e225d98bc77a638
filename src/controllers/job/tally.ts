import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { isActive, isFinished, isTerminating } from '../pods/pod-state.ts'
import { countedBefore } from './counting-steps.ts'
import { type FailureVerdict, judgeFailure } from './failure-policy.ts'
import { IndexSet } from './index-set.ts'
import { belongs, failuresOf, finishedMs, hasFailed, ignoredOf, indexOf, isIndexed, isTracked, limitsEachIndex } from './tracking.ts'

/** The results of a job's pods: the counts of the status, and the ended pods that are not in them yet. */
export interface Tally {
  readonly succeeded: number
  /** As the status shows it. */
  readonly failed: number
  /** The same with pods that are counted only when they are replaced. */
  readonly allFailed: number
  readonly completed: IndexSet
  /** Indexes that have failed for good; undefined without `backoffLimitPerIndex`. */
  readonly failedIndexes: IndexSet | undefined
  /** Pods that are counted now, or never: they lose their finalizer once the status is written. */
  readonly release: readonly Pod[]
  /** The last failed pod of an index that is tried again: it keeps its finalizer, because it carries the number of failures. */
  readonly delayed: ReadonlyMap<number, Pod>
  /** The ended pods that are added to the numbers, those of `delayed` later. In an Indexed job successes are counted as indexes. */
  readonly counting: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] }
  /** What the numbers were before. */
  readonly before: { readonly succeeded: number; readonly failed: number }
  /** The message of a pod failure rule that ends the job. */
  readonly failJob: string | undefined
}

/** How the job ends. */
export type Ending = 'SuccessCriteriaMet' | 'FailureTarget'

/** Counts. Ended pods that still carry the finalizer are not in the status yet. Pure. */
export function tallyPods(job: Job, pods: readonly Pod[], ending?: Ending): Tally {
  const succeeding = ending === 'SuccessCriteriaMet'
  const failing = ending === 'FailureTarget'
  const tracked = pods.filter(isTracked)
  const succeeded = tracked.filter((p) => p.status?.phase === 'Succeeded')
  // A job that has succeeded deletes its other pods: they did not fail. Those that a failed one deletes did, before they have ended.
  const failed = tracked.filter((p) => (hasFailed(job, p) && !(succeeding && p.status?.phase !== 'Failed')) || (failing && isLeaving(p)))
  const spared = succeeding ? tracked.filter((p) => hasFailed(job, p) && p.status?.phase !== 'Failed') : []
  const verdicts = new Map(failed.map((p) => [p, judgeFailure(job, p)]))
  const standing = present(job, job.status?.completedIndexes)
  const completed = isIndexed(job) ? standing.union(indexesOf(job, succeeded)) : standing
  const failedIndexes = limitsEachIndex(job) ? givenUp(job, ending === undefined ? verdicts : NOTHING) : undefined
  const delayed = failedIndexes === undefined ? NONE : lastOfEach(job, { pods, failed, over: [completed, failedIndexes] })
  const held = new Set(delayed.values())
  const counts = (p: Pod) => belongs(job, p) && verdicts.get(p)?.action !== 'Ignore'
  const late = countedBefore(job, tracked)
  const before = { succeeded: (job.status?.succeeded ?? 0) + late.succeeded, failed: (job.status?.failed ?? 0) + late.failed }
  const failJob = [...verdicts.values()].find((v) => v.action === 'FailJob')
  return {
    succeeded: isIndexed(job) ? completed.size : before.succeeded + succeeded.length,
    failed: before.failed + failed.filter((p) => !held.has(p) && counts(p)).length,
    allFailed: before.failed + failed.filter(counts).length,
    completed,
    failedIndexes,
    release: [...succeeded, ...failed.filter((p) => !held.has(p)), ...spared],
    delayed,
    counting: { succeeded: isIndexed(job) ? [] : succeeded, failed: failed.filter(counts) },
    before,
    failJob: failJob?.action === 'FailJob' ? failJob.message : undefined,
  }
}

const NONE: ReadonlyMap<number, Pod> = new Map()
const isLeaving = (pod: Pod) => isTerminating(pod) && !isFinished(pod)
/** Once the end is decided no further index fails: the remaining pods are deleted. */
const NOTHING: ReadonlyMap<Pod, FailureVerdict> = new Map()

/** Indexes of a status that the job still has. */
const present = (job: Job, indexes: string | undefined) => IndexSet.parse(indexes).below(job.spec.completions ?? 0)

const indexesOf = (job: Job, pods: readonly Pod[]) => IndexSet.of(pods.filter((p) => belongs(job, p)).map(indexOf))

function givenUp(job: Job, verdicts: ReadonlyMap<Pod, FailureVerdict>): IndexSet {
  const fails = ([pod, { action }]: readonly [Pod, FailureVerdict]) =>
    action === 'FailIndex' || (action !== 'Ignore' && failuresOf(pod) >= (job.spec.backoffLimitPerIndex ?? 0))
  const failed = [...verdicts].filter(fails).map(([pod]) => pod)
  return present(job, job.status?.failedIndexes).union(indexesOf(job, failed))
}

interface Failed {
  readonly pods: readonly Pod[]
  readonly failed: readonly Pod[]
  readonly over: readonly IndexSet[]
}

function lastOfEach(job: Job, { pods, failed, over }: Failed): ReadonlyMap<number, Pod> {
  const active = new Set(pods.filter(isActive).map(indexOf))
  const last = new Map<number, Pod>()
  for (const pod of failed) {
    const index = indexOf(pod)
    if (!belongs(job, pod) || active.has(index) || over.some((set) => set.has(index))) continue
    const known = last.get(index)
    if (known === undefined || isLater(pod, known)) last.set(index, pod)
  }
  return last
}

const tries = (pod: Pod) => failuresOf(pod) + ignoredOf(pod)
const isLater = (a: Pod, b: Pod) => tries(a) > tries(b) || (tries(a) === tries(b) && finishedMs(a) >= finishedMs(b))
