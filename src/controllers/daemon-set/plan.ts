import type { DaemonSet } from '../../resources/types/apps.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import { byAge, createdMs, isAvailable, isFinished, isReady, isTerminating, scaledValue } from '../pods/pod-state.ts'
import { daemonTolerations, GENERATION, GENERATION_LABEL, HASH_LABEL } from './daemon-pod.ts'
import { selectsNode, toleratesNode } from './node-match.ts'

export interface DaemonSetView {
  readonly set: DaemonSet
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly hash: string
}

export interface DaemonSetPlan {
  /** Names of the nodes that get a pod. */
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
  /** Finished pods: they are deleted, and created again. */
  readonly failed: readonly Pod[]
  /** The plan is cut off at `BURST`: another round follows at once. */
  readonly more: boolean
}

/** No more pods than these are created or deleted in one round, as upstream. */
const BURST = 250

/** The node that a pod is meant for, also before it is bound. */
export function nodeOf(pod: Pod): string {
  if (pod.spec.nodeName) return pod.spec.nodeName
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const field = terms.flatMap((term) => term.matchFields ?? []).find(({ key }) => key === 'metadata.name')
  return field?.values?.[0] ?? ''
}

/** Whether the node should run a pod of the set, and whether one that runs there may stay. */
export function wants(set: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
  const { spec } = set.spec.template
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { run: false, stay: false }
  if (!selectsNode(spec, node)) return { run: false, stay: false }
  const tolerations = [...(spec.tolerations ?? []), ...daemonTolerations(spec)]
  const stay = toleratesNode(tolerations, node, ['NoExecute'])
  return { stay, run: stay && toleratesNode(tolerations, node, ['NoSchedule']) }
}

/** Whether the set has to be reconciled after the node changed. `runs`: a pod of the set is on the node. Pure. */
export function concernsNode(set: DaemonSet, node: Node, runs: boolean): boolean {
  const { run, stay } = wants(set, node)
  return runs ? !stay || (set.status?.numberMisscheduled ?? 0) > 0 : run
}

/** Bound before pending, then by age; of the same second the ready one first. */
export const bySeniority = (a: Pod, b: Pod): number =>
  Number(b.spec.nodeName !== undefined) - Number(a.spec.nodeName !== undefined) ||
  createdMs(a) - createdMs(b) ||
  Number(isReady(b)) - Number(isReady(a)) ||
  byAge(a, b)

export const groupByNode = (pods: readonly Pod[]) => Map.groupBy(pods, nodeOf)

/** Which nodes lack a pod, which pods are surplus, and which old ones may be replaced now. Pure. */
export function planDaemonSet(view: DaemonSetView, nowMs: number): DaemonSetPlan {
  const { set, nodes, pods } = view
  if (isTerminating(set)) return { create: [], remove: [], failed: [], more: false }
  const byNode = groupByNode(pods)
  const decisions = nodes.map((node) => ({ name: node.metadata.name ?? '', ...wants(set, node) }))
  const surge = surgeOf(set, decisions.filter(({ run }) => run).length)
  const create: string[] = []
  const remove: Pod[] = []
  const failed: Pod[] = []
  const known = new Set(decisions.map(({ name }) => name))
  // Of a node that is gone, bound pods are left to the pod garbage collector.
  for (const [name, list] of byNode) if (!known.has(name)) remove.push(...list.filter((p) => !p.spec.nodeName && !isTerminating(p)))
  for (const { name, run, stay } of decisions) {
    const held = byNode.get(name) ?? []
    const standing = held.filter((p) => !isTerminating(p))
    const running = standing.filter((p) => !isFinished(p)).toSorted(bySeniority)
    // A set that may surge does not wait for pods that end.
    if (run && (surge === 0 ? held : running).length === 0) create.push(name)
    if (!stay) remove.push(...standing)
    else {
      failed.push(...standing.filter(isFinished))
      remove.push(...(surge === 0 ? running.slice(1) : surplus(view, running, nowMs)))
    }
  }
  const leaving = new Set([...remove, ...failed])
  const staying = { ...view, decisions, byNode: groupByNode(pods.filter((p) => !leaving.has(p))) }
  const update = surge > 0 ? planSurge(staying, surge, nowMs) : { create: [], remove: planReplacement(staying, nowMs) }
  create.push(...update.create)
  remove.push(...update.remove)
  return { create: create.slice(0, BURST), remove: remove.slice(0, BURST), failed, more: create.length > BURST || remove.length > BURST }
}

/** Whether a pod of the set starts on the node, and whether one that is there stays. */
interface NodeDecision {
  readonly name: string
  readonly run: boolean
  readonly stay: boolean
}

/** The set without the pods that are removed anyway. */
interface RemainingSet extends DaemonSetView {
  readonly decisions: readonly NodeDecision[]
  readonly byNode: ReadonlyMap<string, readonly Pod[]>
}

/** How many nodes may have a new pod beside the old one. */
function surgeOf(set: DaemonSet, desired: number): number {
  if (set.spec.updateStrategy?.type === 'OnDelete') return 0
  return scaledValue(set.spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0, desired, 'up')
}

/** One pod a node, and during a rollout the old one until the new one is available: the oldest of each stays. */
function surplus({ set, hash }: DaemonSetView, running: readonly Pod[], nowMs: number): readonly Pod[] {
  const minReady = set.spec.minReadySeconds ?? 0
  const fresh = running.filter((p) => isCurrent(set, p, hash))
  const old = running.filter((p) => !isCurrent(set, p, hash))
  const replaced = fresh[0] !== undefined && isAvailable(fresh[0], minReady, nowMs)
  const goes = replaced || fresh.length === 0 || old[0] === undefined || !isReady(old[0])
  // An old pod that is not ready makes room for the new one.
  return [...fresh.slice(1), ...old.slice(goes && fresh.length > 0 ? 0 : 1)]
}

/**
 * The nodes on which a new pod starts beside the old one now; one that is not available does not count against the surge.
 * Where none may start any more, an old pod goes when it is not available, or as soon as enough others are.
 */
function planSurge({ set, decisions, byNode, hash }: RemainingSet, surge: number, nowMs: number): Pick<DaemonSetPlan, 'create' | 'remove'> {
  const available = (pod: Pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)
  const unavailable: string[] = []
  const candidates: string[] = []
  const misplaced: { gone: Pod[]; spare: Pod[] } = { gone: [], spare: [] }
  let room = surge
  let enough = 0
  for (const { name, run } of decisions) {
    const standing = (byNode.get(name) ?? []).filter((p) => !isTerminating(p))
    const old = standing.find((p) => !isCurrent(set, p, hash))
    const counted = old ?? standing[0]
    if (counted !== undefined && available(counted)) enough++
    if (old === undefined) continue
    if (standing.some((p) => isCurrent(set, p, hash))) room--
    else if (run) (available(old) ? candidates : unavailable).push(name)
    else (available(old) ? misplaced.spare : misplaced.gone).push(old)
  }
  const spare = Math.max(0, enough - decisions.filter(({ run }) => run).length)
  return {
    create: [...unavailable, ...candidates.slice(0, Math.max(0, room))],
    remove: [...misplaced.gone, ...misplaced.spare.slice(0, spare)],
  }
}

/**
 * Pods of old templates that may go, also of nodes that are gone: all that are not available, and others as far as `maxUnavailable` allows.
 */
function planReplacement({ set, decisions, byNode, hash }: RemainingSet, nowMs: number): readonly Pod[] {
  if (set.spec.updateStrategy?.type === 'OnDelete') return []
  const desired = decisions.filter(({ run }) => run).map(({ name }) => name)
  const minReady = set.spec.minReadySeconds ?? 0
  let room = Math.max(1, scaledValue(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired.length, 'up'))
  const unavailable: Pod[] = []
  const candidates: Pod[] = []
  for (const name of new Set([...desired, ...byNode.keys()])) {
    const pod = byNode.get(name)?.find((p) => !isTerminating(p))
    const available = pod !== undefined && isAvailable(pod, minReady, nowMs)
    if (!available) room--
    if (pod === undefined || isCurrent(set, pod, hash)) continue
    ;(available ? candidates : unavailable).push(pod)
  }
  return [...unavailable, ...candidates.slice(0, Math.max(0, room))]
}

export const isCurrent = (set: DaemonSet, pod: Pod, hash: string) =>
  pod.metadata.labels?.[HASH_LABEL] === hash || pod.metadata.labels?.[GENERATION_LABEL] === (set.metadata.annotations?.[GENERATION] ?? '?')
