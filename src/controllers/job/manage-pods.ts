import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { expendability } from '../pods/expendability.ts'
import { isActive, isFinished, isTerminating } from '../pods/pod-state.ts'
import { backOffAfter } from './back-off.ts'
import { judgeFailure } from './failure-policy.ts'
import { IndexSet } from './index-set.ts'
import type { Tally } from './tally.ts'
import { awaitsEnd, belongs, failuresOf, finishedMs, ignoredOf, indexOf, isIndexed, limitsEachIndex } from './tracking.ts'

/** No more pods than these are created or deleted in one round, as upstream. */
const BURST = 500

/** A pod to be created. */
export interface WantedPod {
  readonly index?: number
  /** How often its index has failed, where that is limited. */
  readonly failures?: number
  readonly ignored?: number
}

export interface PodsPlan {
  /** Surplus pods: they are deleted without being counted. */
  readonly withdraw: readonly Pod[]
  readonly create: readonly WantedPod[]
  /** How long the missing pods have to wait. */
  readonly waitMs: number | undefined
}

interface ManageFacts {
  readonly tally: Tally
  readonly nowMs: number
  /** How long new pods have to wait after failures. */
  readonly waitMs: number
}

/** Which pods of a running job are surplus or missing. One round deletes or creates pods, not both. Pure. */
export function managePods(job: Job, pods: readonly Pod[], { tally, nowMs, waitMs }: ManageFacts): PodsPlan {
  const active = pods.filter(isActive)
  const wanted = job.spec.suspend ? 0 : wantedPods(job, active.length, tally)
  const withdraw = surplus(job, active, active.length - wanted)
  if (withdraw.length > 0 || job.spec.suspend) return { withdraw: withdraw.slice(0, BURST), create: [], waitMs: undefined }
  const leaving = awaitsEnd(job) ? pods.filter((p) => isTerminating(p) && !isFinished(p)) : []
  const count = Math.min(BURST, wanted - leaving.length - active.length)
  if (count <= 0) return NOTHING
  const pending = () => [...pendingIndexes(job, [...active, ...leaving], tally).take(count)]
  if (limitsEachIndex(job)) return eachIndex(job, pending(), { tally, nowMs })
  if (waitMs > 0) return { ...NOTHING, waitMs }
  const create = isIndexed(job) ? pending().map((index) => ({ index })) : Array.from({ length: count }, () => ({}))
  return { ...NOTHING, create }
}

const NOTHING: PodsPlan = { withdraw: [], create: [], waitMs: undefined }

function wantedPods(job: Job, active: number, { succeeded }: Tally): number {
  const { parallelism = 1, completions } = job.spec
  // After a success the work queue is empty: running pods continue, whatever the parallelism, and none is added.
  if (typeof completions !== 'number') return succeeded > 0 ? active : parallelism
  return Math.max(0, Math.min(parallelism, completions - succeeded))
}

/** Pods of indexes that the job does not have any more, then duplicates of an index, then by expendability. */
function surplus(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const byUse = active.toSorted((a, b) => expendability(a, b))
  if (!isIndexed(job)) return byUse.slice(0, Math.max(0, atLeast))
  const last = new Map(byUse.map((p) => [indexOf(p), p]))
  const out = byUse.filter((p) => !belongs(job, p) || last.get(indexOf(p)) !== p)
  const rest = byUse.filter((p) => !out.includes(p))
  return [...out, ...rest.slice(0, Math.max(0, atLeast - out.length))]
}

function pendingIndexes(job: Job, held: readonly Pod[], { completed, failedIndexes }: Tally): Generator<number> {
  const taken = completed.union(IndexSet.of(held.map(indexOf))).union(failedIndexes ?? IndexSet.EMPTY)
  return taken.missing(job.spec.completions ?? 0)
}

/** Each index has its own back-off. One that waits keeps its place: no later index is tried instead. */
function eachIndex(job: Job, pending: readonly number[], { tally, nowMs }: Pick<ManageFacts, 'tally' | 'nowMs'>): PodsPlan {
  const create: WantedPod[] = []
  let waitMs: number | undefined
  for (const index of pending) {
    const last = tally.delayed.get(index)
    const wait = last === undefined ? 0 : Math.max(0, finishedMs(last) + backOffAfter(failuresOf(last) + ignoredOf(last) + 1) - nowMs)
    if (wait > 0) waitMs = Math.min(waitMs ?? wait, wait)
    else create.push({ index, ...countsAfter(job, last) })
  }
  return { withdraw: [], create, waitMs }
}

function countsAfter(job: Job, last: Pod | undefined): { failures: number; ignored: number } {
  if (last === undefined) return { failures: 0, ignored: 0 }
  const ignores = judgeFailure(job, last).action === 'Ignore'
  return { failures: failuresOf(last) + (ignores ? 0 : 1), ignored: ignoredOf(last) + (ignores ? 1 : 0) }
}
