import type { ProbeView } from '../../probes/probe-results.ts'
import type { ContainerStatus, RuntimePod } from '../../runtime/runtime.ts'
import type { ContainerRecord, Terminated } from '../../types/container-record.ts'
import { type Container, type ContainerRole, containersOf, isBeingDeleted, type Pod } from '../../types/pod.ts'
import { shouldRestart } from './restart-policy.ts'

/** Why the last start of a container failed: `CrashLoopBackOff`, `ErrImagePull`, … */
export interface StartFailure {
  readonly reason: string
  readonly message: string
}

export interface ObserveInput {
  readonly pod: Pod
  readonly runtime: RuntimePod
  /** The previous records, or those restored from the pod's status. */
  readonly before: readonly ContainerRecord[]
  /** By container name. */
  readonly failures: Pick<ReadonlyMap<string, StartFailure>, 'get'>
  readonly probes: ProbeView
  readonly amounts: AmountView
}

/** A container's allocated resources, and those for its status; undefined: as in its spec. */
export interface AmountView {
  allocated(name: string): Container['resources'] | undefined
  reported(name: string): Container['resources'] | undefined
}

/** A digest of the container's definition: a change means that the running container has to be replaced. */
export const definitionOf = (container: Container): string => `${container.name} ${container.image}`
/** The annotation of the runtime's container with the digest. */
export const DEFINITION_ANNOTATION = 'io.kubernetes.container.hash'

/** The containers of a pod in the runtime, with the records of those that the runtime has removed. Pure. */
export function observeContainers(input: ObserveInput): readonly ContainerRecord[] {
  return containersOf(input.pod).map(({ container, role }) => {
    const before = input.before.find((r) => r.container.name === container.name)
    const own = input.runtime.containers.filter((c) => c.name === container.name)
    return withFailure(input, observe(input, { container, role, before, own }))
  })
}

interface One {
  readonly container: Container
  readonly role: ContainerRole
  readonly before: ContainerRecord | undefined
  /** Newest first. */
  readonly own: readonly ContainerStatus[]
}

function observe({ pod, probes, amounts }: ObserveInput, { container, role, before, own }: One): ContainerRecord {
  const [current, previous] = own
  const last = (previous && ended(previous)) ?? remembered(before, current)
  const base = { container, role, ...(last && { last }), restartCount: current?.attempt ?? before?.restartCount ?? 0 }
  const waiting = { kind: 'waiting', reason: pod.spec.initContainers?.length ? 'PodInitializing' : 'ContainerCreating' } as const
  if (current === undefined) return lost({ ...base, state: waiting, started: false, ready: false }, before)
  const [allocated, resources] = [amounts.allocated(container.name), amounts.reported(container.name)]
  const seen = { ...base, current, image: current.image, ...(allocated && { allocated }), ...(resources && { resources }) }
  switch (current.state) {
    case 'created':
    case 'unknown':
      return { ...seen, state: waiting, started: false, ready: false }
    case 'running': {
      const started = probes.started({ container, role }, current.id)
      const ready = role !== 'init' && role !== 'ephemeral' && started && probes.ready({ container, role }, current.id)
      const state = { kind: 'running', id: current.id, startedAtMs: current.startedAtMs ?? 0 } as const
      return { ...seen, state, started, ready }
    }
    case 'exited': {
      const state = ended(current) ?? waiting
      return { ...seen, state, started: false, ready: role === 'init' && current.exitCode === 0 }
    }
  }
}

/** A container that the runtime has removed keeps its state; if it ran, its end is unknown. */
function lost(fresh: ContainerRecord, before: ContainerRecord | undefined): ContainerRecord {
  if (before === undefined || before.state.kind === 'waiting') return { ...fresh, ...(before?.image && { image: before.image }) }
  const { state, image, resources, allocated, user = before.current?.user } = before
  const kept = {
    ...fresh,
    ...(image && { image }),
    ...(resources && { resources }),
    ...(allocated && { allocated }),
    ...(user && { user }),
  }
  if (state.kind === 'terminated') return { ...kept, state, ready: before.ready }
  return { ...kept, state: unknownEnd(state.id) }
}

/** The terminated state of a container with an unknown end. */
export function unknownEnd(id: string): Terminated {
  const message = 'The container could not be located when the pod was terminated'
  return {
    kind: 'terminated',
    id,
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message,
    startedAtMs: undefined,
    finishedAtMs: undefined,
  }
}

/** The end of the previous attempt, if the runtime has removed it. */
function remembered(before: ContainerRecord | undefined, current: ContainerStatus | undefined): Terminated | undefined {
  if (before === undefined) return undefined
  const { state } = before
  const gone = state.kind === 'terminated' && current !== undefined && state.id !== current.id
  if (gone) return state
  if (state.kind === 'running' && current !== undefined && state.id !== current.id) return unknownEnd(state.id)
  return before.last
}

function ended(status: ContainerStatus): Terminated | undefined {
  if (status.state !== 'exited') return undefined
  const { id, exitCode = 0, signal, reason, message, startedAtMs, finishedAtMs } = status
  return {
    kind: 'terminated',
    id,
    exitCode,
    ...(signal !== undefined && { signal }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    startedAtMs,
    finishedAtMs,
  }
}

/** A container that could not be started is shown as waiting, with the reason. */
function withFailure({ pod, failures }: ObserveInput, record: ContainerRecord): ContainerRecord {
  const failure = failures.get(record.container.name)
  if (failure === undefined || record.state.kind === 'running' || isBeingDeleted(pod)) return record
  // An ephemeral container is never started again; it is shown by its pod's restart policy like the others.
  const shown = record.role === 'ephemeral' ? ({ ...record, role: 'main' } as const) : record
  if (record.state.kind === 'terminated' && (!shouldRestart(pod, shown, record.state.exitCode) || completed(record))) return record
  const last = record.state.kind === 'terminated' ? record.state : record.last
  return { ...record, ...(last && { last }), state: { kind: 'waiting', ...failure } }
}

/** A sidecar that ended with 0 is restarted, too, but its wait for that is not reported. */
const completed = ({ role, state }: ContainerRecord) =>
  (role === 'init' || role === 'sidecar') && state.kind === 'terminated' && state.exitCode === 0
