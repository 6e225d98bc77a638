import { timestamp } from '../../base/clock.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { type ContainerRecord, isInitialised, type Terminated } from './container-record.ts'
import type { Pod, PodCondition } from './pod-types.ts'

/** What the status of a pod is made from. */
export interface PodObservation {
  readonly pod: Pod
  readonly records: readonly ContainerRecord[]
  readonly hostIp: string
  readonly podIp: string | undefined
  readonly sandboxReady: boolean
  readonly startTimeMs: number
  /** Everything has stopped and the sandbox is gone: only then a terminal phase is told. */
  readonly stopped: boolean
  /** Why the whole pod was ended (DeadlineExceeded, Evicted, …). */
  readonly verdict?: { readonly reason: string; readonly message: string }
}

/** `v1.PodStatus` as the kubelet reports it. Pure: the same observation gives the same status. */
export function podStatus(seen: PodObservation, nowMs: number): JsonObject {
  const { pod, records } = seen
  const phase = reportedPhase(seen)
  const init = records.filter((r) => r.role !== 'main')
  const main = records.filter((r) => r.role === 'main')
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase,
    ...(seen.verdict === undefined || !seen.stopped ? {} : { reason: seen.verdict.reason, message: seen.verdict.message }),
    conditions: conditions(seen, nowMs).map((c) => ({ ...c })),
    hostIP: seen.hostIp,
    hostIPs: [{ ip: seen.hostIp }],
    ...(seen.podIp === undefined ? {} : { podIP: seen.podIp, podIPs: [{ ip: seen.podIp }] }),
    startTime: timestamp(seen.startTimeMs),
    ...(init.length > 0 ? { initContainerStatuses: init.map(containerStatus) } : {}),
    containerStatuses: main.map(containerStatus),
    qosClass: pod.status.qosClass ?? 'BestEffort',
    resources: {},
  }
}

/** The phase that follows from the containers alone. */
export function phaseOf(pod: Pod, records: readonly ContainerRecord[]): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  const init = records.filter((r) => r.role !== 'main')
  const main = records.filter((r) => r.role === 'main')
  const policy = pod.spec.restartPolicy ?? 'Always'
  if (init.some((r) => r.role === 'init' && r.state.kind === 'terminated' && r.state.exitCode !== 0 && policy === 'Never')) return 'Failed'
  if (!init.every(isInitialised)) return 'Pending'
  if (main.some((r) => r.state.kind === 'waiting' && r.last === undefined)) return 'Pending'
  if (main.some((r) => r.state.kind === 'running')) return 'Running'
  const failed = main.some((r) => (r.state.kind === 'terminated' ? r.state.exitCode !== 0 : true))
  if (policy === 'Always') return 'Running'
  if (!failed) return 'Succeeded'
  return policy === 'Never' ? 'Failed' : 'Running'
}

/** A terminal phase is told only when the pod has stopped; until then the phase before it stands. */
function reportedPhase(seen: PodObservation): string {
  if (seen.stopped) {
    if (seen.verdict !== undefined) return 'Failed'
    const main = seen.records.filter((r) => r.role === 'main')
    return main.every((r) => r.state.kind === 'terminated' && r.state.exitCode === 0) ? 'Succeeded' : 'Failed'
  }
  const phase = phaseOf(seen.pod, seen.records)
  if (phase === 'Succeeded' || phase === 'Failed') return seen.pod.status.phase === 'Running' ? 'Running' : 'Pending'
  return phase
}

function conditions(seen: PodObservation, nowMs: number): PodCondition[] {
  const { pod, records } = seen
  const main = records.filter((r) => r.role === 'main')
  const final = seen.stopped ? reportedPhase(seen) : seen.verdict !== undefined ? 'Failed' : phaseOf(pod, records)
  const uninitialised = records.filter((r) => r.role !== 'main' && !isInitialised(r)).map((r) => r.container.name)
  const unready = records.filter((r) => r.role !== 'init' && !r.ready).map((r) => r.container.name)

  const initialised: Draft =
    final === 'Succeeded'
      ? { status: 'True', reason: 'PodCompleted' }
      : uninitialised.length === 0
        ? { status: 'True' }
        : {
            status: 'False',
            reason: 'ContainersNotInitialized',
            message: `containers with incomplete status: [${uninitialised.join(' ')}]`,
          }
  const containersReady: Draft =
    final === 'Succeeded'
      ? { status: 'False', reason: 'PodCompleted' }
      : final === 'Failed'
        ? { status: 'False', reason: 'PodFailed' }
        : unready.length === 0 && main.length > 0
          ? { status: 'True' }
          : { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` }
  const wanted: readonly [string, Draft][] = [
    ['PodReadyToStartContainers', { status: seen.sandboxReady ? 'True' : 'False' }],
    ['Initialized', initialised],
    ['Ready', containersReady.status === 'True' ? gateCondition(pod) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
  ]
  const own = wanted.map(([type, draft]) => settle(pod, type, draft, nowMs))
  const others = (pod.status.conditions ?? []).filter((c) => !wanted.some(([type]) => type === c.type))
  return [...own, ...others]
}

type Draft = Pick<PodCondition, 'status' | 'reason' | 'message'>

function gateCondition(pod: Pod): Draft {
  const closed = (pod.spec.readinessGates ?? [])
    .map((g) => g.conditionType)
    .filter((type) => !pod.status.conditions?.some((c) => c.type === type && c.status === 'True'))
  if (closed.length === 0) return { status: 'True' }
  const texts = closed.map((type) =>
    pod.status.conditions?.some((c) => c.type === type)
      ? `the status of pod readiness gate "${type}" is not "True", but False`
      : `corresponding condition of pod readiness gate "${type}" does not exist.`,
  )
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: texts.join(', ') }
}

/** Keeps the time of the last change of status. */
function settle(pod: Pod, type: string, draft: Draft, nowMs: number): PodCondition {
  const before = pod.status.conditions?.find((c) => c.type === type)
  return {
    type,
    status: draft.status,
    observedGeneration: pod.metadata.generation ?? 1,
    lastProbeTime: null,
    lastTransitionTime: before?.status === draft.status && before.lastTransitionTime ? before.lastTransitionTime : timestamp(nowMs),
    ...(draft.reason === undefined ? {} : { reason: draft.reason }),
    ...(draft.message === undefined ? {} : { message: draft.message }),
  }
}

function containerStatus(r: ContainerRecord): JsonObject {
  const created = r.image !== undefined
  const requests = r.container.resources?.requests
  return {
    name: r.container.name,
    state: stateJson(r),
    lastState: r.last === undefined ? {} : { terminated: terminatedJson(r.last) },
    ready: r.ready,
    restartCount: r.restartCount,
    image: r.image?.name ?? r.container.image,
    imageID: r.image?.id ?? '',
    ...(created ? { containerID: idOf(r) } : {}),
    started: r.started,
    ...(created && requests !== undefined ? { allocatedResources: { ...requests } } : {}),
    ...(created ? { resources: { ...r.container.resources } as JsonObject } : {}),
    ...(r.container.volumeMounts?.length ? { volumeMounts: r.container.volumeMounts.map(mountJson) } : {}),
  }
}

const mountJson = (m: { name: string; mountPath: string; readOnly?: boolean }): JsonObject => ({
  name: m.name,
  mountPath: m.mountPath,
  ...(m.readOnly ? { readOnly: true, recursiveReadOnly: 'Disabled' } : {}),
})

const idOf = (r: ContainerRecord): string => (r.state.kind === 'waiting' ? (r.last?.id ?? '') : r.state.id)

function stateJson(r: ContainerRecord): JsonObject {
  switch (r.state.kind) {
    case 'waiting':
      return { waiting: { reason: r.state.reason, ...(r.state.message === undefined ? {} : { message: r.state.message }) } }
    case 'running':
      return { running: { startedAt: timestamp(r.state.startedAtMs) } }
    case 'terminated':
      return { terminated: terminatedJson(r.state) }
  }
}

const terminatedJson = (t: Terminated): JsonObject => ({
  exitCode: t.exitCode,
  ...(t.signal === undefined ? {} : { signal: t.signal }),
  ...(t.reason === undefined ? {} : { reason: t.reason }),
  ...(t.message === undefined ? {} : { message: t.message }),
  startedAt: timestamp(t.startedAtMs),
  finishedAt: timestamp(t.finishedAtMs),
  containerID: t.id,
})
