import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import { isStaticPod } from '../../types/pod.ts'
import { makeSandbox, mayRun, RETRY_MS, removeUnstarted, stopAll } from '../containers/carry-out.ts'
import type { PodPlan } from '../plan/plan-pod.ts'
import { podDns } from '../spec/pod-dns.ts'
import { resolveSandbox } from '../spec/resolve-container.ts'
import type { PodStep } from './pod-step.ts'

/** How long until a network that is not ready is checked again. */
const NETWORK_RETRY_MS = 2000

/** Stops everything, and creates a new sandbox if one is needed. False if the pod cannot go on. */
export async function renewSandbox(step: PodStep, plan: PodPlan, signal: AbortSignal): Promise<boolean> {
  const { deps, state } = step
  const { runtime, events, clock } = deps
  const { pod } = state
  if (plan.sandboxAttempt !== undefined && plan.sandboxAttempt > 0) {
    const message = 'Pod sandbox changed, it will be killed and re-created.'
    events.record({ regarding: referenceTo(pod), type: 'Normal', reason: 'SandboxChanged', message })
  }
  const { records, graceMs, podIp } = state
  const failures = records.some(mayRun) ? await stopAll(deps, { pod, records, graceMs, podIp }, signal) : []
  if (failures.length > 0 || (await removeUnstarted(deps, records, signal)).length > 0) {
    state.wakeAt(clock.now() + RETRY_MS)
    return false
  }
  const [newest] = state.runtime.sandboxes
  if (newest !== undefined) await runtime.stopSandbox(newest.id, signal)
  const attempt = plan.sandboxAttempt
  if (attempt === undefined) {
    // A pod of which nothing runs any more, and that has not ended, waits until something changes.
    if (records.some(mayRun) || newest?.state === 'ready') state.again()
    return false
  }
  if (!(await networked(step, signal))) return false
  for (const r of state.records) {
    if (r.role !== 'init' || r.current?.state !== 'exited') continue
    state.memory.attempts.set(r.container.name, r.current.attempt + 1)
    await runtime.removeContainer(r.current.id, signal)
  }
  const held = await deps.beforeSandbox(pod, signal)
  if (held !== undefined) {
    if (!held.quiet) events.record({ regarding: referenceTo(pod), type: 'Warning', reason: held.reason, message: held.message })
    state.wakeAt(clock.now() + held.retryMs)
    return false
  }
  const { dns, faults } = podDns(pod, deps.host)
  for (const fault of faults) events.record({ regarding: referenceTo(pod), type: 'Warning', ...fault })
  const make = async () => runtime.runSandbox(await deps.completeSandbox(pod, resolveSandbox(pod, attempt, dns)), signal)
  const made = await makeSandbox(deps, pod, make, signal)
  if (made === undefined) {
    state.wakeAt(clock.now() + RETRY_MS)
    return false
  }
  const before = { podIpsBefore: state.podIps, recordsBefore: records }
  await step.look(signal)
  state.sandboxMade(before)
  // The mirror pod of a static pod may be created later: missed statuses are not reported.
  if (isStaticPod(pod)) await step.report('sandbox')
  return true
}

/** Whether a pod can have a network; host-network pods need none. */
async function networked({ deps, state }: PodStep, signal: AbortSignal): Promise<boolean> {
  if (state.pod.spec.hostNetwork) return true
  const status = await deps.runtime.status(signal).catch((error) => {
    // The pod's events have the runtime's error of the next call.
    if (error instanceof RuntimeError) return undefined
    throw error
  })
  if (status === undefined || status.networkReady) return true
  const { message = '' } = status
  deps.events.record({
    regarding: referenceTo(state.pod),
    type: 'Warning',
    reason: 'NetworkNotReady',
    message: `network is not ready: container runtime network not ready: ${message}`,
  })
  state.wakeAt(deps.clock.now() + NETWORK_RETRY_MS)
  return false
}
