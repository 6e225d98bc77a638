import type { KubeObject } from '../../machinery/object.ts'
import { expendability } from '../pods/expendability.ts'
import { isActive, isFinished, isTerminating } from '../pods/pod-state.ts'
import { backOffAfter } from './back-off.ts'
import { judgeFailure } from './failure-policy.ts'
import { IndexSet } from './index-set.ts'
import type { Tally } from './tally.ts'
import { awaitsEnd, belongs, failuresOf, finishedMs, ignoredOf, indexOf, isIndexed, limitsEachIndex } from './tracking.ts'

/** So many pods are made or taken away at once. */
const MOST = 500

/** A pod that is to be made. */
export interface WantedPod {
  readonly index?: number
  /** How often its index has failed, where that is limited. */
  readonly failures?: number
  readonly ignored?: number
}

export interface PodsPlan {
  /** Pods that are too many: they go without being counted. */
  readonly withdraw: readonly KubeObject[]
  readonly create: readonly WantedPod[]
  /** How long what is missing still has to wait. */
  readonly waitMs: number | undefined
}

interface ManageFacts {
  readonly tally: Tally
  readonly nowMs: number
  /** How long new pods have to wait after failures. */
  readonly waitMs: number
}

/** Which pods of a job that goes on are too many or missing. In one round pods are taken away or made, not both. Pure. */
export function managePods(job: KubeObject, pods: readonly KubeObject[], { tally, nowMs, waitMs }: ManageFacts): PodsPlan {
  const active = pods.filter(isActive)
  const wanted = job.spec?.suspend ? 0 : wantedPods(job, active.length, tally)
  const withdraw = surplus(job, active, active.length - wanted)
  if (withdraw.length > 0 || job.spec?.suspend) return { withdraw: withdraw.slice(0, MOST), create: [], waitMs: undefined }
  const leaving = awaitsEnd(job) ? pods.filter((p) => isTerminating(p) && !isFinished(p)).length : 0
  const count = Math.min(MOST, wanted - leaving - active.length)
  if (count <= 0) return NOTHING
  if (limitsEachIndex(job)) return eachIndex(job, pendingIndexes(job, active, tally), { tally, nowMs, count })
  if (waitMs > 0) return { ...NOTHING, waitMs }
  const create = isIndexed(job)
    ? pendingIndexes(job, active, tally)
        .slice(0, count)
        .map((index) => ({ index }))
    : Array.from({ length: count }, () => ({}))
  return { ...NOTHING, create }
}

const NOTHING: PodsPlan = { withdraw: [], create: [], waitMs: undefined }

function wantedPods(job: KubeObject, active: number, { succeeded }: Tally): number {
  const { parallelism = 1, completions } = job.spec ?? {}
  // A work queue that had a success is empty: what runs goes on, nothing is added.
  if (typeof completions !== 'number') return succeeded > 0 ? Math.min(active, parallelism) : parallelism
  return Math.max(0, Math.min(parallelism, completions - succeeded))
}

/** Pods of indexes that the job has no more, and of those that an index has twice; then those that are missed least. */
function surplus(job: KubeObject, active: readonly KubeObject[], atLeast: number): readonly KubeObject[] {
  const byUse = active.toSorted((a, b) => expendability(a, b))
  if (!isIndexed(job)) return byUse.slice(0, Math.max(0, atLeast))
  const last = new Map(byUse.map((p) => [indexOf(p), p]))
  const out = byUse.filter((p) => !belongs(job, p) || last.get(indexOf(p)) !== p)
  const rest = byUse.filter((p) => !out.includes(p))
  return [...out, ...rest.slice(0, Math.max(0, atLeast - out.length))]
}

function pendingIndexes(job: KubeObject, active: readonly KubeObject[], { completed, failedIndexes }: Tally): readonly number[] {
  const taken = completed.union(IndexSet.of(active.map(indexOf))).union(failedIndexes ?? IndexSet.EMPTY)
  return [...taken.missing(job.spec?.completions ?? 0).take(MOST)]
}

/** Each index waits for itself. */
function eachIndex(
  job: KubeObject,
  pending: readonly number[],
  { tally, nowMs, count }: { tally: Tally; nowMs: number; count: number },
): PodsPlan {
  const create: WantedPod[] = []
  let waitMs: number | undefined
  for (const index of pending) {
    const last = tally.delayed.get(index)
    const wait = last === undefined ? 0 : Math.max(0, finishedMs(last) + backOffAfter(failuresOf(last) + ignoredOf(last) + 1) - nowMs)
    if (wait > 0) waitMs = Math.min(waitMs ?? wait, wait)
    else if (create.length < count) create.push({ index, ...countsAfter(job, last) })
  }
  return { withdraw: [], create, waitMs }
}

function countsAfter(job: KubeObject, last: KubeObject | undefined): { failures: number; ignored: number } {
  if (last === undefined) return { failures: 0, ignored: 0 }
  const ignores = judgeFailure(job, last).action === 'Ignore'
  return { failures: failuresOf(last) + (ignores ? 0 : 1), ignored: ignoredOf(last) + (ignores ? 1 : 0) }
}
