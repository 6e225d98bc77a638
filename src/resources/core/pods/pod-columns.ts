import { humanDuration } from '../../../machinery/human-duration.ts'
import { AGE, type ColumnInit, NAME } from '../../define.ts'
import type { ContainerStatus, Pod, PodStatus } from '../../pod/types.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'

type Terminated = Unchecked<core.ContainerStateTerminated>

/** The status columns of a pod. */
export interface PodSummary {
  readonly ready: string
  readonly status: string
  readonly restarts: string
}

/** Summarizes the states of a pod's containers in one word, as in `kubectl get pods`. */
export function summarize(pod: Pod, now: number): PodSummary {
  const status: PodStatus = pod.status ?? {}
  const initContainers = pod.spec?.initContainers ?? []
  const sidecars = new Map(initContainers.map((c) => [c.name, c.restartPolicy === 'Always']))
  const tally = new Tally((pod.spec?.containers ?? []).length)
  let word = status.reason || status.phase || ''
  for (const condition of status.conditions ?? [])
    if (condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated') word = 'SchedulingGated'
  const starting = startUp(status, initContainers.length, sidecars, tally)
  tally.total += [...sidecars.values()].filter(Boolean).length
  if (starting !== undefined) word = starting
  if (starting === undefined || initialized(status)) word = running(status, tally, word)
  if (pod.metadata.deletionTimestamp && status.reason === 'NodeLost') word = 'Unknown'
  else if (pod.metadata.deletionTimestamp && status.phase !== 'Failed' && status.phase !== 'Succeeded') word = 'Terminating'
  return { ready: `${tally.ready}/${tally.total}`, status: word, restarts: tally.text(now) }
}

/** Counts restarts, of all containers and of sidecars alone. */
class Tally {
  total: number
  ready = 0
  restarts = 0
  sidecarRestarts = 0
  last = 0
  lastSidecar = 0

  constructor(total: number) {
    this.total = total
  }

  text(now: number): string {
    return this.restarts > 0 && this.last > 0 ? `${this.restarts} (${humanDuration(now - this.last)} ago)` : String(this.restarts)
  }
}

const finished = (status: ContainerStatus): number => Date.parse(status.lastState?.terminated?.finishedAt ?? '') || 0

/** The status of a pod whose init containers are not finished; undefined if they are. */
function startUp(status: PodStatus, count: number, sidecars: ReadonlyMap<string | undefined, boolean>, tally: Tally): string | undefined {
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.get(container.name) ?? false
    tally.restarts += container.restartCount ?? 0
    tally.last = Math.max(tally.last, finished(container))
    if (sidecar) {
      tally.sidecarRestarts += container.restartCount ?? 0
      tally.lastSidecar = Math.max(tally.lastSidecar, finished(container))
    }
    const terminated = container.state?.terminated
    if (terminated && terminated.exitCode === 0) continue
    if (sidecar && container.started) {
      if (container.ready) tally.ready++
      continue
    }
    if (terminated) return `Init:${terminated.reason || ending(terminated)}`
    const waiting = container.state?.waiting?.reason
    if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`
    return `Init:${i}/${count}`
  }
  return undefined
}

const ending = (t: Terminated): string => (t.signal ? `Signal:${t.signal}` : `ExitCode:${t.exitCode ?? 0}`)

const initialized = (status: PodStatus): boolean => (status.conditions ?? []).some((c) => c.type === 'Initialized' && c.status === 'True')

function running(status: PodStatus, tally: Tally, before: string): string {
  let word = before
  let alive = false
  // After initialization, only the restarts of its sidecars count.
  tally.restarts = tally.sidecarRestarts
  tally.last = tally.lastSidecar
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    tally.restarts += container.restartCount ?? 0
    tally.last = Math.max(tally.last, finished(container))
    const { waiting, terminated } = container.state ?? {}
    if (waiting?.reason) word = waiting.reason
    else if (terminated) word = terminated.reason || ending(terminated)
    else if (container.ready && container.state?.running) {
      alive = true
      tally.ready++
    }
  }
  if (word !== 'Completed' || !alive) return word
  return (status.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True') ? 'Running' : 'NotReady'
}

function gates(pod: Pod): string {
  const wanted = pod.spec?.readinessGates ?? []
  if (wanted.length === 0) return '<none>'
  const met = new Set(pod.status?.conditions?.filter((c) => c.status === 'True').map((c) => c.type))
  const open = wanted.filter((gate) => met.has(gate.conditionType)).length
  return `${open}/${wanted.length}`
}

export const POD_COLUMNS: readonly ColumnInit<Pod>[] = [
  NAME,
  {
    name: 'Ready',
    description: 'Containers that are ready, of all that should be.',
    cell: (pod, now) => summarize(pod, now).ready,
  },
  { name: 'Status', description: 'What the pod is doing, in one word.', cell: (pod, now) => summarize(pod, now).status },
  {
    name: 'Restarts',
    description: 'How often containers were started again, and when last.',
    cell: (pod, now) => summarize(pod, now).restarts,
  },
  AGE,
  { name: 'IP', priority: 1, describes: 'status.podIP', cell: (pod) => pod.status?.podIPs?.[0]?.ip || '<none>' },
  { name: 'Node', priority: 1, describes: 'spec.nodeName', cell: (pod) => pod.spec?.nodeName || '<none>' },
  { name: 'Nominated Node', priority: 1, describes: 'status.nominatedNodeName', cell: (pod) => pod.status?.nominatedNodeName || '<none>' },
  { name: 'Readiness Gates', priority: 1, describes: 'spec.readinessGates', cell: gates },
]
