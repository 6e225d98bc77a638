import type { ProbeResults } from '../../probes/probe-results.ts'
import type { SandboxStatus } from '../../runtime/runtime.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { isBeingDeleted, type Pod } from '../../types/pod.ts'
import { DEFINITION_ANNOTATION, definitionOf } from './container-record.ts'
import { beginsAnew, shouldRestart, startsAllAnew } from './restart-policy.ts'

export interface PlanInput {
  readonly pod: Pod
  readonly records: readonly ContainerRecord[]
  /** Newest first. */
  readonly sandboxes: readonly SandboxStatus[]
  readonly probes: ProbeResults
}

/** A container to stop, and why. */
export interface Kill {
  readonly record: ContainerRecord
  /** The event's message. */
  readonly message: string
  readonly because: 'changed' | 'liveness' | 'startup'
}

/** The next actions for a pod. */
export interface PodPlan {
  /** Stop all containers and the sandbox. */
  readonly killPod: boolean
  /** Create a sandbox with this attempt number. */
  readonly sandboxAttempt?: number
  /** Remove all containers and start again from the first init container (KEP-5532). */
  readonly restartAll: boolean
  readonly kill: readonly Kill[]
  /** Containers to start now, in this order; a back-off delays only its own container. */
  readonly start: readonly ContainerRecord[]
}

const NOTHING: PodPlan = { killPod: false, restartAll: false, kill: [], start: [] }

/** Plans the next actions from the states of the containers. Pure. */
export function planPod(input: PlanInput): PodPlan {
  const { records } = input
  const main = records.filter((r) => r.role === 'main')
  const initial = records.filter((r) => r.role === 'init' || r.role === 'sidecar')
  const attempt = missingSandbox(input)
  const sandbox = attempt === undefined ? {} : { killPod: true, sandboxAttempt: attempt }
  if (records.some(startsAllAnew)) return { ...NOTHING, ...sandbox, restartAll: true }
  if (attempt !== undefined) return planSandbox(input, { main, initial, attempt })
  const ephemeral = records.filter((r) => r.role === 'ephemeral' && r.current === undefined && r.state.kind === 'waiting')
  const first = planInitial(input, initial, main)
  if (first.failed) return { ...NOTHING, killPod: true }
  if (!first.initialised) return { ...NOTHING, kill: first.kill, start: [...ephemeral, ...first.start] }
  const mains = planMain(input, main)
  if (mains.kept === 0 && mains.start.length === 0) return { ...NOTHING, killPod: true }
  return {
    killPod: false,
    restartAll: false,
    kill: [...first.kill, ...mains.kill],
    start: [...ephemeral, ...first.start, ...mains.start],
  }
}

/** The attempt number of the sandbox to create; undefined if one is ready. */
function missingSandbox({ sandboxes }: PlanInput): number | undefined {
  const newest = sandboxes[0]
  if (newest === undefined) return 0
  return newest.state === 'ready' ? undefined : newest.attempt + 1
}

/**
 * Everything starts anew in another sandbox, except for what ended well and is not restarted then. As in the kubelet, only policies count
 * here, no rules; and a pod that never restarts gets no second sandbox once it had a container, whatever its containers' own policies.
 */
function planSandbox(
  { pod, records }: PlanInput,
  seen: { readonly main: readonly ContainerRecord[]; readonly initial: readonly ContainerRecord[]; readonly attempt: number },
): PodPlan {
  const { main, initial, attempt } = seen
  const kill = { ...NOTHING, killPod: true }
  if (pod.spec.restartPolicy === 'Never' && attempt > 0 && records.some((r) => r.current !== undefined)) return kill
  const start = main.filter((r) => !(onlyOnFailure(pod, r) && r.current?.state === 'exited' && r.current.exitCode === 0))
  if (start.length === 0) return kill
  const first = initial[0]
  return { ...kill, sandboxAttempt: attempt, start: first === undefined ? start : [first] }
}

const onlyOnFailure = (pod: Pod, { container }: ContainerRecord) => (container.restartPolicy ?? pod.spec.restartPolicy) === 'OnFailure'

interface InitialPlan {
  readonly initialised: boolean
  readonly failed: boolean
  readonly kill: readonly Kill[]
  readonly start: readonly ContainerRecord[]
}

/** Init containers run one after the other; a sidecar lets the next one start as soon as it has started, and keeps running. */
function planInitial(input: PlanInput, initial: readonly ContainerRecord[], main: readonly ContainerRecord[]): InitialPlan {
  const { pod } = input
  const begun = main.some((r) => r.current !== undefined)
  const reached = begun ? initial.length : initial.findLastIndex((r) => r.current !== undefined || r.state.kind === 'terminated')
  const kill: Kill[] = []
  const start: ContainerRecord[] = []
  let initialised = true
  for (const [i, r] of initial.entries()) {
    if (r.role === 'sidecar') {
      const changed = r.started ? definitionChange(r) : undefined
      const fault = changed ?? unhealthy(input, r)
      if (fault !== undefined) kill.push(fault)
      if (fault !== undefined || (r.state.kind !== 'running' && (i <= reached || initialised))) start.push(r)
      if (!begun && !r.started) initialised = false
    } else if (!begun && i >= reached) {
      if (r.state.kind === 'terminated' && r.state.exitCode === 0) continue
      if (r.state.kind === 'terminated' && !shouldRestart(pod, r, r.state.exitCode))
        return { initialised: false, failed: true, kill, start: [] }
      // One that runs ends as it began, whatever becomes of its definition.
      if (r.state.kind !== 'running') start.push(r)
      initialised = false
    }
    if (!initialised && i >= reached) break
  }
  return { initialised, failed: false, kill, start }
}

function planMain(input: PlanInput, main: readonly ContainerRecord[]) {
  const kill: Kill[] = []
  const start: ContainerRecord[] = []
  let kept = 0
  for (const r of main) {
    if (r.state.kind !== 'running') {
      if (wantsStart(input.pod, r)) start.push(r)
      continue
    }
    const changed = definitionChange(r)
    const fault = changed ?? unhealthy(input, r)
    if (fault === undefined) kept++
    else {
      // It still runs: its restart rules depend on the exit code and are checked after its end.
      const policy = r.container.restartPolicy ?? input.pod.spec.restartPolicy
      const again = changed !== undefined || (policy !== 'Never' && !isBeingDeleted(input.pod))
      kill.push(again ? { ...fault, message: `${fault.message}, will be restarted` } : fault)
      if (again) start.push(r)
    }
  }
  return { kill, start, kept }
}

function definitionChange(r: ContainerRecord): Kill | undefined {
  if (r.state.kind !== 'running' || r.current === undefined) return undefined
  const known = r.current.annotations[DEFINITION_ANNOTATION]
  if (known === undefined || known === definitionOf(r.container)) return undefined
  return {
    record: r,
    because: 'changed',
    message: `${r.role === 'sidecar' ? 'Init container' : 'Container'} ${r.container.name} definition changed`,
  }
}

function unhealthy({ probes }: PlanInput, r: ContainerRecord): Kill | undefined {
  if (r.state.kind !== 'running') return undefined
  const who = `${r.role === 'sidecar' ? 'Init container' : 'Container'} ${r.container.name}`
  if (r.container.livenessProbe && probes.liveness(r.state.id) === 'failure')
    return { record: r, because: 'liveness', message: `${who} failed liveness probe` }
  if (r.container.startupProbe && probes.startup(r.state.id) === 'failure')
    return { record: r, because: 'startup', message: `${who} failed startup probe` }
  return undefined
}

/** Whether the container does not run and should. */
function wantsStart(pod: Pod, r: ContainerRecord): boolean {
  if (r.state.kind === 'running') return false
  if (r.state.kind === 'terminated') return shouldRestart(pod, r, r.state.exitCode)
  return r.last === undefined || beginsAnew(r) || shouldRestart(pod, r, r.last.exitCode)
}
