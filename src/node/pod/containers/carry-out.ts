import type { SparseMap } from '../../../base/collections/sparse-map.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { millisecondsOf, showGoDuration } from '../../../machinery/go/go-duration.ts'
import type { ResourceList } from '../../../resources/types/core.ts'
import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { ContainerStatus, SandboxStatus } from '../../runtime/runtime.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { type Pod, podRef } from '../../types/pod.ts'
import { type BackOff, withJitter } from '../plan/back-off.ts'
import { definitionOf, type StartFailure } from '../plan/container-record.ts'
import type { Kill } from '../plan/plan-pod.ts'
import { containerNotes } from '../report/notes.ts'
import { type StarterDeps, startContainer } from './container-starter.ts'
import { stopContainer } from './container-stopper.ts'
import type { VolumeImages } from './volume-images.ts'

/** The state of a pod's worker that neither the API nor the runtime has. */
export interface PodMemory {
  /** Why containers could not be started at the last attempt, by name. */
  readonly failures: SparseMap<StartFailure>
  readonly restarts: BackOff
  /** The next attempt's number of containers that the runtime has removed, by name. */
  readonly attempts: SparseMap<number>
}

export interface StartContext {
  readonly pod: Pod
  readonly sandbox: SandboxStatus
  readonly podIps: readonly string[]
  readonly hostIp: string
  readonly allocatable: ResourceList
  readonly volumeImages: VolumeImages
  readonly seen: readonly string[]
  readonly graceMs: number
}

/** The retry delay after a failure without a known end, and of a pull in back-off. */
export const RETRY_MS = withJitter(10_000)

/** A pod with a longer wait is synced meanwhile, as by the kubelet's resync, which reports that it waits. */
const RESYNC_MS = 60_000

export interface StartOne {
  readonly record: ContainerRecord
  /** Its newest attempt that had ended when the start was planned. */
  readonly ended: ContainerStatus | undefined
  readonly context: StartContext
}

/** Starts a container unless it is in back-off; returns the time of the next try, if there is one. */
export async function startOne(
  deps: StarterDeps,
  memory: PodMemory,
  { record, ended, context }: StartOne,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { name } = record.container
  const nowMs = deps.clock.now()
  const held = heldBack(memory.restarts, { record, ended }, nowMs)
  if (held !== undefined) {
    const { name: pod, namespace, uid } = podRef(context.pod)
    const note = containerNotes(deps.events, context.pod, record.container, record.role)
    note('Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${pod}_${namespace}(${uid})`)
    const message = `back-off ${showGoDuration(held.delayMs)} restarting failed container=${name} pod=${pod}_${namespace}(${uid})`
    memory.failures.set(name, { reason: 'CrashLoopBackOff', message })
    return nowMs + withJitter(Math.min(held.untilMs - nowMs, RESYNC_MS))
  }
  const attempt = nextAttempt(memory, record)
  deps.metrics?.starting(record.role)
  const outcome = await startContainer(deps, { ...context, record, attempt }, signal)
  if (outcome.kind === 'started') {
    memory.failures.delete(name)
    memory.attempts.delete(name)
    return undefined
  }
  deps.metrics?.startFailed(record.role, outcome.reason)
  memory.failures.set(name, { reason: outcome.reason, message: outcome.message })
  return deps.clock.now() + RETRY_MS
}

/** Whether the container is in back-off; if not, lengthens its next back-off. */
function heldBack(restarts: BackOff, { record, ended }: Pick<StartOne, 'record' | 'ended'>, nowMs: number) {
  const finishedAtMs = ended?.finishedAtMs
  if (finishedAtMs === undefined) return undefined
  // After a resize the back-off starts anew.
  const key = `${definitionOf(record.container)} ${JSON.stringify(record.container.resources ?? {})}`
  const waiting = restarts.waiting(key, finishedAtMs, nowMs)
  if (waiting === undefined) restarts.next(key, finishedAtMs, nowMs)
  return waiting
}

function nextAttempt({ attempts }: PodMemory, record: ContainerRecord): number {
  const reported = attempts.get(record.container.name)
  if (record.current !== undefined) return Math.max(record.current.attempt + 1, reported ?? 0)
  if (reported !== undefined) return reported
  return record.state.kind === 'terminated' || record.last !== undefined ? record.restartCount + 1 : record.restartCount
}

/** Stops containers that are replaced or failed their probes, all at once. */
export async function killContainers(
  deps: StarterDeps,
  kills: readonly Kill[],
  { pod, podIps }: Pick<StartContext, 'pod' | 'podIps'>,
  signal: AbortSignal,
): Promise<void> {
  const stop = ({ record, message, because }: Kill) => {
    const probe =
      because === 'liveness' ? record.container.livenessProbe : because === 'startup' ? record.container.startupProbe : undefined
    const graceMs = millisecondsOf(probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30)
    return stopContainer(deps, { pod, record, message, graceMs, podIp: podIps[0] ?? '' }, signal)
  }
  await Promise.all(kills.map(stop))
}

export interface StopAll {
  readonly pod: Pod
  readonly records: readonly ContainerRecord[]
  readonly graceMs: number
  readonly podIp: string
}

/** A pod with a grace period of zero gets one second for its hooks. */
const LEAST_POD_GRACE_MS = 1000

/** Whether there is something to stop. */
export const mayRun = (r: ContainerRecord) => r.state.kind === 'running' || r.current?.state === 'created'

/**
 * Stops everything that runs: main containers together, then the sidecars in reverse order, all within one grace period. Returns the
 * kubelet's message about what could not be stopped.
 */
export async function stopAll(
  deps: StarterDeps,
  { pod, records, graceMs, podIp }: StopAll,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const failures: string[] = []
  const running = records.filter(mayRun)
  const stop = async (record: ContainerRecord, turn?: Promise<void>) => {
    const { name } = record.container
    try {
      const message = `Stopping container ${name}`
      await stopContainer(
        deps,
        { pod, record, message, graceMs: Math.max(graceMs, LEAST_POD_GRACE_MS), podIp, ...(turn !== undefined && { turn }) },
        signal,
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RuntimeError)) throw error
      failures.push(killFault(name, error))
    }
  }
  // Hooks run at once; sidecars are stopped after the others, in reverse order, while there is grace time left.
  const ends: Promise<void>[] = []
  const before: Promise<void>[] = []
  const begin = (record: ContainerRecord) => {
    // Never rejects: the worker may have been left meanwhile, or there was no grace period to wait for.
    const turn = record.role === 'sidecar' ? Promise.allSettled(before).then(() => {}) : undefined
    const end = stop(record, turn)
    ends.push(end)
    if (record.role !== 'init') before.push(end)
  }
  for (const record of running.filter((r) => r.role !== 'sidecar')) begin(record)
  for (const record of running.filter((r) => r.role === 'sidecar').reverse()) begin(record)
  await Promise.all(ends)
  return failures
}

/**
 * Removes containers that have not started. A runtime that is starting one for an agent that was killed refuses: stopping its sandbox
 * meanwhile would leave it behind, as containerd does. Returns the kubelet's messages of such refusals.
 */
export async function removeUnstarted(
  { runtime }: Pick<StarterDeps, 'runtime'>,
  records: readonly ContainerRecord[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { container, current } of records) {
    if (current?.state !== 'created') continue
    try {
      await runtime.removeContainer(current.id, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RuntimeError)) throw error
      failures.push(killFault(container.name, error))
    }
  }
  return failures
}

const killFault = (name: string, { message }: RuntimeError) =>
  `failed to "KillContainer" for "${name}" with KillContainerError: ${goQuote(message)}`

/** Creates the pod's next sandbox; undefined if the runtime failed, which is reported as an event. */
export async function makeSandbox(
  deps: StarterDeps,
  pod: Pod,
  make: () => Promise<string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await make()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof RuntimeError)) throw error
    const message = `Failed to create pod sandbox: ${error.message}`
    deps.events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'FailedCreatePodSandBox', message })
    return undefined
  }
}
