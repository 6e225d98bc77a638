import type { KubeObject } from '../../machinery/object.ts'
import { isActive } from '../pods/pod-state.ts'
import { settled } from './counting-steps.ts'
import { type FailureVerdict, judgeFailure } from './failure-policy.ts'
import { IndexSet } from './index-set.ts'
import { belongs, failuresOf, finishedMs, hasFailed, ignoredOf, indexOf, isIndexed, isTracked, limitsEachIndex } from './tracking.ts'

/** What the job's pods have brought so far: the standing counts, and the ended pods that are not in them yet. */
export interface Tally {
  readonly succeeded: number
  /** As the status is to say it. */
  readonly failed: number
  /** The same with those whose count waits for their replacement. */
  readonly allFailed: number
  readonly completed: IndexSet
  /** Indexes that are given up; undefined where none has a limit of its own. */
  readonly failedIndexes: IndexSet | undefined
  /** Pods that are counted now, or need not be: their finalizer may go once the status is written. */
  readonly release: readonly KubeObject[]
  /** The last failed pod of an index that is to be tried again: it keeps its finalizer, for it knows how often. */
  readonly delayed: ReadonlyMap<number, KubeObject>
  /** The ended pods that become numbers, those of `delayed` in their time: of an indexed job the indexes tell of success. */
  readonly counting: { readonly succeeded: readonly KubeObject[]; readonly failed: readonly KubeObject[] }
  /** What the numbers were before. */
  readonly before: { readonly succeeded: number; readonly failed: number }
  /** Why a rule ends the job. */
  readonly failJob: string | undefined
}

/** How the job is to end, once that is decided. */
export type Ending = 'SuccessCriteriaMet' | 'FailureTarget'

/** Counts. Ended pods that still carry the finalizer are not in the status yet. Pure. */
export function tallyPods(job: KubeObject, pods: readonly KubeObject[], ending?: Ending): Tally {
  const succeeding = ending === 'SuccessCriteriaMet'
  const tracked = pods.filter(isTracked)
  const succeeded = tracked.filter((p) => p.status?.phase === 'Succeeded')
  // A job that has succeeded takes its other pods away: that is no failure of theirs.
  const failed = tracked.filter((p) => hasFailed(job, p) && !(succeeding && p.status?.phase !== 'Failed'))
  const spared = succeeding ? tracked.filter((p) => hasFailed(job, p) && p.status?.phase !== 'Failed') : []
  const verdicts = new Map(failed.map((p) => [p, judgeFailure(job, p)]))
  const standing = present(job, job.status?.completedIndexes)
  const completed = isIndexed(job) ? standing.union(indexesOf(job, succeeded)) : standing
  const failedIndexes = limitsEachIndex(job) ? givenUp(job, ending === undefined ? verdicts : NOTHING) : undefined
  const delayed = failedIndexes === undefined ? NONE : lastOfEach(job, { pods, failed, over: [completed, failedIndexes] })
  const held = new Set(delayed.values())
  const counts = (p: KubeObject) => belongs(job, p) && verdicts.get(p)?.action !== 'Ignore'
  const late = settled(job, tracked)
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

const NONE: ReadonlyMap<number, KubeObject> = new Map()
/** When the end is decided no more index is given up: the pods that are left are taken away. */
const NOTHING: ReadonlyMap<KubeObject, FailureVerdict> = new Map()

/** Indexes of a status that the job still has. */
const present = (job: KubeObject, indexes: string | undefined) => IndexSet.parse(indexes).below(job.spec?.completions ?? 0)

const indexesOf = (job: KubeObject, pods: readonly KubeObject[]) => IndexSet.of(pods.filter((p) => belongs(job, p)).map(indexOf))

function givenUp(job: KubeObject, verdicts: ReadonlyMap<KubeObject, FailureVerdict>): IndexSet {
  const fails = ([pod, { action }]: readonly [KubeObject, FailureVerdict]) =>
    action === 'FailIndex' || (action !== 'Ignore' && failuresOf(pod) >= job.spec.backoffLimitPerIndex)
  const failed = [...verdicts].filter(fails).map(([pod]) => pod)
  return present(job, job.status?.failedIndexes).union(indexesOf(job, failed))
}

interface Failed {
  readonly pods: readonly KubeObject[]
  readonly failed: readonly KubeObject[]
  readonly over: readonly IndexSet[]
}

function lastOfEach(job: KubeObject, { pods, failed, over }: Failed): ReadonlyMap<number, KubeObject> {
  const active = new Set(pods.filter(isActive).map(indexOf))
  const last = new Map<number, KubeObject>()
  for (const pod of failed) {
    const index = indexOf(pod)
    if (!belongs(job, pod) || active.has(index) || over.some((set) => set.has(index))) continue
    const known = last.get(index)
    if (known === undefined || isLater(pod, known)) last.set(index, pod)
  }
  return last
}

const tries = (pod: KubeObject) => failuresOf(pod) + ignoredOf(pod)
const isLater = (a: KubeObject, b: KubeObject) => tries(a) > tries(b) || (tries(a) === tries(b) && finishedMs(a) >= finishedMs(b))
