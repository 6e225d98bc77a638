import { SIMULATED_REASON } from '../../machinery/simulated-annotations.ts'
import type { ContainerStatus, Event, Pod } from '../../resources/types/core.ts'
import { type Finding, lastWarning } from './finding.ts'

/** Why a pod on a node is not ready. `events`: those of the pod. */
export function podFindings(pod: Pod, events: readonly Event[]): readonly Finding[] {
  const { status = {}, metadata } = pod
  const { phase, reason, message, initContainerStatuses = [], containerStatuses = [] } = status
  if (metadata.deletionTimestamp !== undefined) return [deletion(pod), ...notKilled(events)]
  if (phase === 'Failed' && reason !== undefined) return [{ message: `it failed: ${reason}${message ? `: ${message}` : ''}` }]
  const found = [...initContainerStatuses, ...containerStatuses].flatMap((container) => containerFinding(container, phase) ?? [])
  const volume = lastWarning(events, 'FailedMount', 'FailedAttachVolume', 'FailedMapVolume')
  const sandbox = lastWarning(events, 'FailedCreatePodSandBox', 'NetworkNotReady')
  const started = containerStatuses.some(({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated)
  const before = started ? [] : [volume, sandbox].flatMap((event) => (event?.message ? [{ message: event.message }] : []))
  return [...before, ...found, ...notReady(pod, events), ...nodeNotReady(pod, events)]
}

/** The containers of a pod in which nothing runs, by its events. */
export function simulatedFindings(events: readonly Event[]): readonly Finding[] {
  const help = 'docs/simulated-nodes.md: give it a program, or let it fail: bowsprit up --unknown-programs fail'
  return events
    .filter(({ reason }) => reason === SIMULATED_REASON)
    .map(({ involvedObject, message = '' }) => ({ message: `container ${containerOf(involvedObject.fieldPath)}: ${message}`, help }))
}

/** `main` of `spec.containers{main}`. */
const containerOf = (fieldPath = '') => /\{(.*)\}/.exec(fieldPath)?.[1] ?? ''

function deletion({ metadata: { finalizers = [], deletionGracePeriodSeconds } }: Pod): Finding {
  if (finalizers.length === 0) return { message: `it is being deleted, with a grace period of ${deletionGracePeriodSeconds ?? 0} s` }
  const list = finalizers.join(', ')
  return {
    message: `it is being deleted, and waits for its finalizers: ${list}`,
    help: 'the controllers that added them have to remove them',
  }
}

/** What keeps a node from ending a pod: a network plugin that fails, say. */
function notKilled(events: readonly Event[]): readonly Finding[] {
  const message = lastWarning(events, 'FailedKillPod')?.message
  return message === undefined ? [] : [{ message }]
}

/** A node whose agent is silent: the containers may well run. */
function nodeNotReady({ status, spec }: Pod, events: readonly Event[]): readonly Finding[] {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status
  const isLost = ready === 'False' && lastWarning(events, 'NodeNotReady') !== undefined && status?.containerStatuses?.every((c) => c.ready)
  return isLost ? [{ message: `its node ${spec.nodeName} is not ready`, help: `kubectl describe node ${spec.nodeName}` }] : []
}

const IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError'])

function containerFinding(
  { name, image, state, lastState, restartCount }: ContainerStatus,
  phase: string | undefined,
): Finding | undefined {
  const { waiting, terminated } = state ?? {}
  const reason = waiting?.reason
  if (reason !== undefined && IMAGE.has(reason))
    return {
      message: `container ${name}: ${reason}: ${waiting?.message ?? image}`,
      help: 'check the name of the image, its tag, and imagePullSecrets',
    }
  if (reason === 'CrashLoopBackOff') {
    const last = lastState?.terminated
    const how = last === undefined ? '' : `; it last ended with exit code ${last.exitCode}${reasonOf(last.reason)}`
    const help = `kubectl logs POD -c ${name} --previous`
    return { message: `container ${name}: CrashLoopBackOff after ${restartCount} restarts${how}${messageOf(last?.message)}`, help }
  }
  if (reason !== undefined && reason !== 'ContainerCreating' && reason !== 'PodInitializing')
    return { message: `container ${name}: ${reason}${waiting?.message ? `: ${waiting.message}` : ''}` }
  if (terminated !== undefined && terminated.exitCode !== 0 && phase !== 'Succeeded')
    return {
      message: `container ${name} ended with exit code ${terminated.exitCode}${reasonOf(terminated.reason)}${messageOf(terminated.message)}`,
    }
  return undefined
}

const reasonOf = (reason: string | undefined) => (reason === undefined || reason === 'Error' ? '' : ` (${reason})`)
const messageOf = (message: string | undefined) => (message ? `: ${message.trim()}` : '')

/** Containers that run and are not ready: probes and readiness gates. */
function notReady({ status, spec }: Pod, events: readonly Event[]): readonly Finding[] {
  const waiting = (status?.containerStatuses ?? []).filter(({ ready, state }) => !ready && state?.running !== undefined)
  const probe = lastWarning(events, 'Unhealthy')?.message
  const containers = waiting.map(({ name }) => ({
    message: `container ${name} runs, and is not ready${probe === undefined ? '' : `: ${probe}`}`,
  }))
  const gates = (spec?.readinessGates ?? []).filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status !== 'True',
  )
  return [...containers, ...gates.map(({ conditionType }) => ({ message: `its readiness gate ${conditionType} is not True` }))]
}
