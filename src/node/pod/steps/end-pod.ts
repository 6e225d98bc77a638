import { goQuote } from '../../../machinery/field-error.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { PODS } from '../../../resources/refs.ts'
import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { isStaticPod, isTerminal, type Pod } from '../../types/pod.ts'
import { mayRun, RETRY_MS, removeUnstarted, stopAll } from '../containers/carry-out.ts'
import { conclude } from '../plan/conclude.ts'
import { isUnfinished } from '../report/pod-status.ts'
import { type PodStep, RELIST_MS } from './pod-step.ts'
import { decideResize } from './resize-step.ts'

/** A static pod that takes longer to stop is no longer reported by its mirror pod (upstream checks every two seconds). */
const FORGOTTEN_MS = 1000
const isWithdrawn = (pod: Pod) => isStaticPod(pod) && pod.metadata.deletionTimestamp !== undefined

/** Stops everything within the grace period, then reports the end. True when the pod's life is over. */
export async function endPod(step: PodStep, signal: AbortSignal): Promise<boolean> {
  const { deps, state, probes } = step
  const { runtime, events, clock, log } = deps
  // If the phase is terminal already, others have reported the end: their report is kept.
  const reported = isTerminal(state.pod)
  const { records: known } = state
  // As in the kubelet, the deadline also counts while a pod is being stopped, and a wait for its volumes is over.
  const applyDeadline = () => !reported && state.applyDeadline(clock.now())
  state.mountWaitUntilMs = undefined
  applyDeadline()
  if (state.termination?.rejected && !reported) await step.report('rejected')
  await step.look(signal)
  if (!reported) await step.report()
  probes.ending()
  const { pod, records: stopping } = state
  const begunMs = clock.monotonic()
  const failures = await stopEverything(step, signal)
  if (failures.length > 0) {
    const all = failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`
    events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'FailedKillPod', message: `error killing pod: ${all}` })
    state.wakeAt(clock.now() + RETRY_MS)
    return false
  }
  probes.stop()
  try {
    await deps.afterStop(pod, signal)
  } catch (error) {
    signal.throwIfAborted()
    log.warn('what a pod had cannot be given back, trying again', { pod: pod.metadata.name, error })
    state.wakeAt(clock.now() + RETRY_MS)
    return false
  }
  applyDeadline()
  const waited = state.resize.state.kind === 'pending'
  state.resize.end()
  if (state.termination?.reason === 'DeadlineExceeded') events.record({ regarding: referenceTo(pod), type: 'Normal', ...state.termination })
  await step.look(signal)
  // No worker ran for a pod that failed admission: its end is reported before the reason.
  if (state.termination?.rejected && !reported) await step.report()
  state.life = { kind: 'stopped' }
  const tookMs = clock.monotonic() - begunMs
  if (!reported && !(isWithdrawn(pod) && tookMs >= FORGOTTEN_MS))
    await reportEnd(step, tookMs < RELIST_MS ? known : stopping, pod.metadata.generation)
  else if (state.endedBefore) await step.report('found-ended')
  if (waited && state.deleting) repeatRefusal(step)
  if (state.termination?.clears) for (const c of state.runtime.containers) await runtime.removeContainer(c.id, signal)
  state.ended.resolve()
  return afterEnd(step, signal)
}

/** The kubelet decides on waiting resizes whenever a pod has ended, this pod's included; its status does not show that any more. */
function repeatRefusal(step: PodStep): void {
  decideResize(step)
  step.state.resize.end()
}

/** Stops the containers, then their sandboxes, which also kills what did not stop. Returns the kubelet's messages of failures. */
async function stopEverything({ deps, state }: PodStep, signal: AbortSignal): Promise<readonly string[]> {
  const { pod, graceMs, podIp } = state
  if (state.records.some(mayRun)) state.ranToEnd = true
  // For a pod that failed admission only the containers are known: none of them waits for another.
  const records = state.termination?.rejected ? state.records.map((r) => ({ ...r, role: 'main' }) as const).reverse() : state.records
  const failures = [...(await stopAll(deps, { pod, records, graceMs, podIp }, signal))]
  const starting = await removeUnstarted(deps, state.records, signal)
  if (starting.length > 0) return [...failures, ...starting]
  // A sandbox that died by itself is stopped too, which releases its resources.
  for (const s of state.runtime.sandboxes) {
    try {
      await deps.runtime.stopSandbox(s.id, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RuntimeError)) throw error
      failures.push(`failed to "KillPodSandbox" for "${pod.metadata.uid}" with KillPodSandboxError: ${goQuote(error.message)}`)
    }
  }
  return failures
}

/**
 * Reports the containers as they were at the stop, then the unknown ends of the rest. `before`: as the kubelet last saw them, which looks
 * again only after a second. `generation`: of the pod when the stop began, of which the first report speaks.
 */
async function reportEnd({ state, report }: PodStep, before: readonly ContainerRecord[], generation: number | undefined): Promise<void> {
  const unfinished = state.termination === undefined && isUnfinished(state.pod, state.records)
  if (unfinished) state.life = { kind: 'stopped', unfinished: 'stopped' }
  state.reportedGeneration = generation
  await report()
  state.reportedGeneration = undefined
  const concluded = conclude(state.pod, state.records, before)
  if (unfinished) state.life = { kind: 'stopped', unfinished: 'made-failed' }
  else if (concluded === state.records && generation === state.pod.metadata.generation) return
  state.records = concluded
  await report()
}

/**
 * No container runs any more: removes the object, if it is being deleted, and what the runtime still has. True when that is done. Of a
 * static pod the runtime keeps everything until the next garbage collection, as in the kubelet: the same manifest may be there again by
 * then.
 */
export async function afterEnd({ deps, state }: PodStep, signal: AbortSignal): Promise<boolean> {
  if (!state.gone && !state.deleting) return false
  if (state.gone || !isWithdrawn(state.pod)) await removeFromRuntime({ deps, state }, signal)
  await deps.clear(state.pod)
  deps.ended(state.pod.metadata.uid ?? '')
  // A static pod has no object of its own.
  if (!state.gone && !isStaticPod(state.pod)) await deletePod({ deps, state })
  return true
}

/** The kubelet removes at once what dies while its pod is deleted; the rest is garbage that goes with the sandbox. */
async function removeFromRuntime({ deps, state }: Pick<PodStep, 'deps' | 'state'>, signal: AbortSignal): Promise<void> {
  if (state.ranToEnd) for (const c of state.runtime.containers) await deps.runtime.removeContainer(c.id, signal)
  for (const s of state.runtime.sandboxes) await deps.runtime.removeSandbox(s.id, signal)
}

/** Deletes the object. */
async function deletePod({ deps, state }: Pick<PodStep, 'deps' | 'state'>): Promise<void> {
  const { namespace = '', name = '', uid } = state.pod.metadata
  try {
    const options = { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) }
    await deps.client.delete({ ...PODS, namespace, name }, options)
  } catch (error) {
    if (!isStatus(error, 'NotFound', 'Conflict')) throw error
  }
}
