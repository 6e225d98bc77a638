import { byText } from '../../../base/by-text.ts'
import { timestamp } from '../../../base/clock.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { qosClass } from '../../../resources/pod/qos.ts'
import type { PodCondition, ResourceStatus, VolumeMount } from '../../../resources/types/core.ts'
import type { ContainerRecord, Terminated } from '../../types/container-record.ts'
import { isStaticPod, type Pod } from '../../types/pod.ts'
import type { PodTermination } from '../../types/pod-termination.ts'
import { conclude } from '../plan/conclude.ts'
import { beginsAnew, mayRestart, startsAllAnew } from '../plan/restart-policy.ts'

/** The input of a pod's status. */
export interface PodObservation {
  readonly pod: Pod
  readonly records: readonly ContainerRecord[]
  readonly hostIps: readonly string[]
  readonly podIps: readonly string[]
  readonly sandboxReady: boolean
  /** The devices of a main container, and their health. */
  readonly resourceHealth?: (container: string) => readonly ResourceStatus[]
  readonly startTimeMs: number
  /** All containers have stopped and the sandbox is gone: only then a terminal phase is reported. */
  readonly stopped: boolean
  /**
   * It was stopped before all of its containers could run: by them its phase is Pending. That is reported first, then (`made-failed`)
   * Failed with unchanged conditions.
   */
  readonly unfinished?: 'stopped' | 'made-failed'
  /** `allocatedResources` and pod-level `resources`. */
  readonly amounts: JsonObject
  /** The resize conditions. */
  readonly resize: readonly PodCondition[]
  /** Why the whole pod was terminated (DeadlineExceeded, Evicted, …). */
  readonly termination?: PodTermination
}

/** The status of a pod that ran before this agent started and then failed admission: all other fields are dropped. */
export function bareStatus({ metadata, status }: Pod, startTimeMs: number): JsonObject {
  return {
    observedGeneration: metadata.generation ?? 1,
    phase: status.phase ?? 'Pending',
    startTime: timestamp(startTimeMs),
    qosClass: status.qosClass ?? 'BestEffort',
  }
}

/** The status of a pod that ended before this agent started: without an address, and with unknown ends where they were not seen. */
export function foundEndedStatus(seen: PodObservation, nowMs: number): JsonObject {
  const { pod } = seen
  const records = conclude(pod, seen.records)
  const podIps = pod.spec.hostNetwork ? seen.podIps : []
  const fresh = podStatus({ ...seen, podIps, records, sandboxReady: false, stopped: true }, nowMs)
  const { phase } = pod.status
  const { reason, message } = seen.termination ?? pod.status
  const kept = LISTS.flatMap((list) => {
    const reported = pod.status[list] ?? []
    const made = fresh[list] as readonly JsonObject[] | undefined
    return made === undefined ? [] : [[list, made.map((c) => reported.find((t) => t.name === c.name && t.state?.terminated) ?? c)] as const]
  })
  return { ...fresh, ...Object.fromEntries(kept), ...(phase && { phase }), ...(reason && { reason }), ...(message && { message }) }
}

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const

/** Whether the status of an ended pod lacks what `foundEndedStatus` would add. */
export function lacksFinalStatus({ spec, status }: Pod): boolean {
  return status.conditions === undefined || status.containerStatuses === undefined || (status.podIP !== undefined && !spec.hostNetwork)
}

/** The kubelet's part of `v1.PodStatus`; conditions of others are not in it. Pure: the same observation gives the same status. */
export function podStatus(seen: PodObservation, nowMs: number): JsonObject {
  const { pod } = seen
  const limit = Math.min(MESSAGE_MAX, Math.floor(MESSAGES_MAX / Math.max(1, seen.records.length)))
  const records = seen.records.map((r) => withShortMessages(r, limit))
  const phase = reportedPhase(seen)
  const init = records.filter((r) => r.role === 'init' || r.role === 'sidecar')
  const main = records.filter((r) => r.role === 'main')
  const ephemeral = records.filter((r) => r.role === 'ephemeral')
  return {
    ...observed(pod),
    phase,
    ...(seen.termination === undefined || !(seen.stopped || isStaticPod(pod)) || phase !== 'Failed'
      ? {}
      : { reason: seen.termination.reason, message: seen.termination.message }),
    conditions: [...seen.resize, ...conditions(seen, nowMs)].map((c) => ({ ...c })),
    ...(seen.hostIps[0] !== undefined && { hostIP: seen.hostIps[0], hostIPs: seen.hostIps.map((ip) => ({ ip })) }),
    ...(seen.podIps[0] !== undefined && { podIP: seen.podIps[0], podIPs: seen.podIps.map((ip) => ({ ip })) }),
    startTime: timestamp(seen.startTimeMs),
    ...(init.length > 0 ? { initContainerStatuses: init.map((r) => containerStatus(r, seen.termination)) } : {}),
    containerStatuses: byName(main).map((r) => ({ ...containerStatus(r, seen.termination), ...healthOf(seen, r) })),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: byName(ephemeral).map((r) => containerStatus(r, seen.termination)) } : {}),
    qosClass: pod.status.qosClass ?? qosClass(pod.spec),
    ...seen.amounts,
  }
}

/** A static pod has no generation. */
const observed = (pod: Pod) => (isStaticPod(pod) ? {} : { observedGeneration: pod.metadata.generation ?? 1 })

/** Limit of the termination messages of all containers of a pod, in bytes; the limit of one is 4096. */
const MESSAGES_MAX = 12_288
const MESSAGE_MAX = 4096

function withShortMessages(r: ContainerRecord, limit: number): ContainerRecord {
  const short = (t: Terminated): Terminated =>
    t.message === undefined || t.message.length <= limit ? t : { ...t, message: t.message.slice(0, limit) }
  const state = r.state.kind === 'terminated' ? short(r.state) : r.state
  const last = r.last && short(r.last)
  return state === r.state && last === r.last ? r : { ...r, state, ...(last && { last }) }
}

const byName = (records: readonly ContainerRecord[]) => [...records].sort((a, b) => byText(a.container.name, b.container.name))

/** The phase by the containers alone. */
export function phaseOf(pod: Pod, records: readonly ContainerRecord[]): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  const main = records.filter((r) => r.role === 'main')
  const policy = pod.spec.restartPolicy ?? 'Always'
  if (records.some((r) => r.role === 'init' && r.state.kind === 'terminated' && endsPod(pod, r))) return 'Failed'
  if (records.some((r) => isInitialising(r, main))) return 'Pending'
  if (main.some((r) => r.state.kind === 'waiting' && r.last === undefined)) return 'Pending'
  if (main.some((r) => r.state.kind === 'running')) return 'Running'
  if (main.some((r) => restartsLater(pod, r))) return 'Running'
  if (policy === 'Always' && main.some((r) => r.container.restartPolicy === undefined)) return 'Running'
  // A pod ends only after its sidecars have stopped.
  if (records.some((r) => r.role === 'sidecar' && r.state.kind === 'running')) return 'Running'
  return main.every((r) => exitOf(r) === 0) ? 'Succeeded' : 'Failed'
}

/**
 * Whether the pod is Pending for an init container or a sidecar: it never ran, or it runs. As in the kubelet, a sidecar that runs counts
 * until a main container was created in its sandbox.
 */
function isInitialising({ role, state, last, current }: ContainerRecord, main: readonly ContainerRecord[]): boolean {
  if (role !== 'init' && role !== 'sidecar') return false
  if (state.kind !== 'running') return state.kind === 'waiting' && last === undefined
  return role === 'init' || !main.some((r) => r.current?.sandboxId === current?.sandboxId)
}

const endsPod = (pod: Pod, r: ContainerRecord) =>
  r.state.kind === 'terminated' && r.state.exitCode !== 0 && !mayRestart(pod, r, r.state.exitCode)

const exitOf = (r: ContainerRecord) => (r.state.kind === 'terminated' ? r.state : r.last)?.exitCode

function restartsLater(pod: Pod, r: ContainerRecord): boolean {
  if (r.state.kind === 'waiting' && beginsAnew(r)) return true
  const exitCode = exitOf(r)
  return exitCode !== undefined && mayRestart(pod, r, exitCode)
}

/**
 * A terminal phase is reported only when the pod has stopped (for a static pod at once, as in the kubelet); until then the previous phase
 * remains.
 */
function reportedPhase(seen: PodObservation): string {
  if (seen.stopped) {
    if (seen.unfinished !== undefined) return seen.unfinished === 'stopped' ? 'Pending' : 'Failed'
    if (seen.termination?.final) return 'Failed'
    const main = seen.records.filter((r) => r.role === 'main')
    const succeeded = main.every((r) => r.state.kind === 'terminated' && r.state.exitCode === 0)
    if (isStaticPod(seen.pod) && seen.pod.metadata.deletionTimestamp !== undefined) return phaseOfRemoved(seen.pod, succeeded)
    return succeeded ? 'Succeeded' : 'Failed'
  }
  const phase = seen.termination?.final ? 'Failed' : phaseOf(seen.pod, seen.records)
  if ((phase === 'Succeeded' || phase === 'Failed') && !isStaticPod(seen.pod))
    return seen.pod.status.phase === 'Running' ? 'Running' : 'Pending'
  return phase
}

/** Whether a stopped pod has containers that never ran and none that failed for good: no phase follows from those that did run. */
export function isUnfinished(pod: Pod, records: readonly ContainerRecord[]): boolean {
  if (isStaticPod(pod) || records.some((r) => r.role === 'init' && r.state.kind === 'terminated' && endsPod(pod, r))) return false
  return records.some((r) => r.role !== 'ephemeral' && r.state.kind === 'waiting' && r.last === undefined)
}

/** A static pod whose manifest was removed has a terminal phase only if its restart policy allows that; otherwise it keeps its phase. */
function phaseOfRemoved({ spec, status }: Pod, succeeded: boolean): string {
  if (status.phase !== 'Running' || spec.restartPolicy === undefined || spec.restartPolicy === 'Always') return status.phase ?? 'Pending'
  return succeeded ? 'Succeeded' : spec.restartPolicy === 'Never' ? 'Failed' : 'Running'
}

function conditions(seen: PodObservation, nowMs: number): WrittenCondition[] {
  const { pod, records } = seen
  const main = records.filter((r) => r.role === 'main')
  const final =
    seen.unfinished !== undefined
      ? 'Pending'
      : seen.stopped
        ? reportedPhase(seen)
        : seen.termination?.final || seen.termination?.rejected
          ? 'Failed'
          : phaseOf(pod, records)
  const begun = main.some((r) => r.current !== undefined || r.last !== undefined || r.state.kind !== 'waiting')
  // As in the kubelet, a pod that was initialized stays so, also while its sidecars or all containers restart.
  const initialisedBefore = pod.status.conditions?.some((c) => c.type === 'Initialized' && c.status === 'True')
  const initial = begun || initialisedBefore ? [] : records.filter((r) => r.role === 'init' || r.role === 'sidecar')
  const uninitialised = initial.filter((r) => !countsAsInitialised(r)).map((r) => r.container.name)
  const unready = records.filter((r) => (r.role === 'main' || r.role === 'sidecar') && !r.ready).map((r) => r.container.name)

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
  const wanted: [string, Draft][] = [
    ['PodReadyToStartContainers', { status: seen.sandboxReady ? 'True' : 'False' }],
    ['Initialized', initialised],
    ['Ready', containersReady.status === 'True' ? gateCondition(pod) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
  ]
  const { disruption } = (seen.stopped && seen.termination) || {}
  if (disruption !== undefined) wanted.unshift(['DisruptionTarget', { status: 'True', ...disruption }])
  const reported = wanted.map(([type, draft]) => conditionOf(pod, type, draft, nowMs))
  if (!records.some((r) => r.container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers'))) return reported
  const { observedGeneration: _, ...restarting } = conditionOf(pod, 'AllContainersRestarting', restartingAll(records, final), nowMs)
  return [...reported, restarting]
}

/**
 * Whether the condition Initialized does not wait for it. An init container that is removed for a restart of all stays ready until then.
 */
const countsAsInitialised = (r: ContainerRecord) => (r.role === 'sidecar' ? r.started && !r.justStarted : r.ready)

/** The condition of a pod whose containers are all being restarted by a rule (KEP-5532). */
function restartingAll(records: readonly ContainerRecord[], final: string): Draft {
  if (final === 'Succeeded' || final === 'Failed') return { status: 'False', reason: final === 'Failed' ? 'PodFailed' : 'PodCompleted' }
  if (!records.some((r) => startsAllAnew(r) && !isBackingOff(r))) return { status: 'False' }
  return { status: 'True', reason: 'RestartAllContainersStarted', message: 'container exited with restart policy rule' }
}

const isBackingOff = ({ state }: ContainerRecord) => state.kind === 'waiting' && state.reason === 'CrashLoopBackOff'

type Draft = Pick<PodCondition, 'status' | 'reason' | 'message'>

function gateCondition(pod: Pod): Draft {
  const closed = (pod.spec.readinessGates ?? [])
    .map((g) => g.conditionType)
    .filter((type) => !pod.status.conditions?.some((c) => c.type === type && c.status === 'True'))
  if (closed.length === 0) return { status: 'True' }
  const texts = closed.map((type) => {
    const reported = pod.status.conditions?.find((c) => c.type === type)
    if (reported === undefined) return `corresponding condition of pod readiness gate "${type}" does not exist.`
    return `the status of pod readiness gate "${type}" is not "True", but ${reported.status}`
  })
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: texts.join(', ') }
}

/** As the kubelet writes it: with a null `lastProbeTime`. */
type WrittenCondition = Omit<PodCondition, 'lastProbeTime'> & { readonly lastProbeTime: null }

/** Keeps the transition time if the status is unchanged. */
function conditionOf(pod: Pod, type: string, draft: Draft, nowMs: number): WrittenCondition {
  const before = pod.status.conditions?.find((c) => c.type === type)
  return {
    type,
    status: draft.status,
    ...observed(pod),
    lastProbeTime: null,
    lastTransitionTime: before?.status === draft.status && before.lastTransitionTime ? before.lastTransitionTime : timestamp(nowMs),
    ...(draft.reason === undefined ? {} : { reason: draft.reason }),
    ...(draft.message === undefined ? {} : { message: draft.message }),
  }
}

function containerStatus(r: ContainerRecord, termination: PodTermination | undefined): JsonObject {
  const created = r.image !== undefined
  const { requests } = r.allocated ?? r.container.resources ?? {}
  const user = r.current?.user ?? r.user
  return {
    name: r.container.name,
    state: stateJson(r),
    lastState: r.last === undefined ? {} : { terminated: terminatedJson(r.last) },
    ready: r.ready,
    restartCount: r.restartCount,
    image: r.image?.name ?? r.container.image,
    imageID: r.image?.id ?? '',
    ...(created ? { containerID: idOf(r) } : {}),
    ...(r.role === 'ephemeral' ? {} : { started: r.started }),
    ...(created && requests !== undefined ? { allocatedResources: { ...requests } } : {}),
    ...(created ? { resources: { ...(r.resources ?? r.container.resources) } as JsonObject } : {}),
    ...(user ? { user: { linux: { ...user, supplementalGroups: [...user.supplementalGroups] } } } : {}),
    // A pod that failed admission has no volumes set up.
    ...(r.container.volumeMounts?.length && !termination?.rejected ? { volumeMounts: r.container.volumeMounts.map(mountJson) } : {}),
  }
}

const mountJson = (m: VolumeMount): JsonObject => ({
  name: m.name,
  mountPath: m.mountPath,
  ...(m.readOnly
    ? { readOnly: true, recursiveReadOnly: m.recursiveReadOnly && m.recursiveReadOnly !== 'Disabled' ? 'Enabled' : 'Disabled' }
    : {}),
})

function healthOf(seen: PodObservation, r: ContainerRecord): JsonObject {
  const reported = seen.resourceHealth?.(r.container.name) ?? []
  const statuses = reported.map(({ name, resources = [] }) => ({ name, resources: resources.map((r) => ({ ...r })) }))
  return statuses.length === 0 ? {} : { allocatedResourcesStatus: statuses }
}

const idOf = (r: ContainerRecord): string => {
  const shown = r.state.kind === 'waiting' ? '' : r.state.id
  return shown || r.last?.id || r.current?.id || ''
}

function stateJson(r: ContainerRecord): JsonObject {
  switch (r.state.kind) {
    case 'waiting':
      return { waiting: { reason: r.state.reason, ...(r.state.message ? { message: r.state.message } : {}) } }
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
  startedAt: t.startedAtMs === undefined ? null : timestamp(t.startedAtMs),
  finishedAt: t.finishedAtMs === undefined ? null : timestamp(t.finishedAtMs),
  ...(t.id === '' ? {} : { containerID: t.id }),
})
