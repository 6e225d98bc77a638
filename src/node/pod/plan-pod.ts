import { type ContainerRecord, isInitialised } from './container-record.ts'
import type { Pod } from './pod-types.ts'

/** Kubernetes doubles the wait before a restart from 10 s to 5 min, and forgets it after 10 min of running. */
export const BACK_OFF = { firstMs: 10_000, maxMs: 300_000, forgetMs: 600_000 } as const

/** What is to be done next for a pod. */
export interface PodPlan {
  /** Containers to start now. */
  readonly start: readonly ContainerRecord[]
  /** Containers whose restart has to wait; they are shown as `CrashLoopBackOff`. */
  readonly hold: readonly ContainerRecord[]
  /** Sidecars to stop because the main containers are done. */
  readonly stop: readonly ContainerRecord[]
  /** Nothing will ever run again. */
  readonly finished: boolean
  /** When to look again although nothing happened. */
  readonly wakeAtMs?: number
}

/** Decides what a pod needs, from what its containers are doing. Pure. */
export function planPod(pod: Pod, records: readonly ContainerRecord[], nowMs: number): PodPlan {
  const start: ContainerRecord[] = []
  const hold: ContainerRecord[] = []
  let wakeAtMs: number | undefined
  const consider = (r: ContainerRecord) => {
    if (!wantsStart(pod, r)) return
    const until = r.backOff?.untilMs ?? 0
    if (until > nowMs) {
      hold.push(r)
      wakeAtMs = Math.min(wakeAtMs ?? Number.POSITIVE_INFINITY, until)
    } else start.push(r)
  }

  const initial = records.filter((r) => r.role !== 'main')
  const main = records.filter((r) => r.role === 'main')
  const failedInit = initial.some((r) => r.role === 'init' && hasFailedForGood(pod, r))
  const mainDone = main.every((r) => isDone(pod, r))
  if (failedInit || mainDone) {
    const stop = initial.filter((r) => r.role === 'sidecar' && r.state.kind === 'running')
    return { start, hold, stop, finished: true }
  }
  for (const r of initial) {
    consider(r)
    if (!isInitialised(r)) return { start, hold, stop: [], finished: false, ...(wakeAtMs === undefined ? {} : { wakeAtMs }) }
  }
  for (const r of main) consider(r)
  return { start, hold, stop: [], finished: false, ...(wakeAtMs === undefined ? {} : { wakeAtMs }) }
}

/** Whether the container is not running and should be. */
function wantsStart(pod: Pod, r: ContainerRecord): boolean {
  if (r.state.kind === 'running') return false
  if (r.state.kind === 'terminated') return restarts(pod, r, r.state.exitCode)
  return r.last === undefined || restarts(pod, r, r.last.exitCode)
}

function restarts(pod: Pod, r: ContainerRecord, exitCode: number): boolean {
  if (r.role === 'sidecar') return true
  const policy = pod.spec.restartPolicy ?? 'Always'
  if (r.role === 'init') return exitCode !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

const isDone = (pod: Pod, r: ContainerRecord) => r.state.kind === 'terminated' && !restarts(pod, r, r.state.exitCode)
const hasFailedForGood = (pod: Pod, r: ContainerRecord) => isDone(pod, r) && r.state.kind === 'terminated' && r.state.exitCode !== 0

/** The wait before the next restart of a container that has just ended: none the first time, then 10 s, 20 s, … */
export function nextRestartBackOff(r: ContainerRecord, nowMs: number): ContainerRecord['backOff'] {
  if (r.state.kind !== 'terminated') return r.backOff
  const ranMs = r.state.finishedAtMs - r.state.startedAtMs
  if (r.restartCount === 0 || ranMs >= BACK_OFF.forgetMs) return { of: 'restart', delayMs: 0, untilMs: nowMs }
  const before = r.backOff?.of === 'restart' ? r.backOff.delayMs : 0
  const delayMs = before === 0 ? BACK_OFF.firstMs : Math.min(before * 2, BACK_OFF.maxMs)
  return { of: 'restart', delayMs, untilMs: nowMs + delayMs }
}

/** The wait before the next pull of an image that could not be had. */
export function nextPullBackOff(r: ContainerRecord, nowMs: number, error: string): NonNullable<ContainerRecord['backOff']> {
  const before = r.backOff?.of === 'pull' ? r.backOff.delayMs : 0
  const delayMs = before === 0 ? BACK_OFF.firstMs : Math.min(before * 2, BACK_OFF.maxMs)
  return { of: 'pull', delayMs, untilMs: nowMs + delayMs, error }
}

/** A wait as Go prints it: `10s`, `2m40s`, `5m0s`. */
export function goSeconds(ms: number): string {
  const s = Math.round(ms / 1000)
  return s < 60 ? `${s}s` : `${Math.floor(s / 60)}m${s % 60}s`
}
