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
  const surge = surgeOf(set, nodes.filter((n) => wants(set, n).run).length)
  const create: string[] = []
  const remove: Pod[] = []
  const failed: Pod[] = []
  const known = new Set(nodes.map((n) => n.metadata.name))
  for (const [name, list] of byNode) if (!known.has(name)) remove.push(...list.filter((p) => !isTerminating(p)))
  for (const node of nodes) {
    const name = node.metadata.name ?? ''
    const standing = (byNode.get(name) ?? []).filter((p) => !isTerminating(p))
    const { run, stay } = wants(set, node)
    if (run && (byNode.get(name) ?? []).length === 0) create.push(name)
    else if (!stay) remove.push(...standing)
    else {
      const ended = standing.filter(isFinished)
      failed.push(...ended)
      const running = standing.filter((p) => !isFinished(p)).toSorted(bySeniority)
      remove.push(...(surge === 0 ? running.slice(1) : surplus(view, running, nowMs)))
    }
  }
  const leaving = new Set([...remove, ...failed])
  const staying = { ...view, pods: pods.filter((p) => !leaving.has(p)) }
  if (surge > 0) create.push(...planSurge(staying, surge, nowMs))
  else remove.push(...planReplacement(staying, nowMs))
  return { create: create.slice(0, BURST), remove: remove.slice(0, BURST), failed, more: create.length > BURST || remove.length > BURST }
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
  const goes = replaced || fresh.length === 0 || old[0] === undefined || !isAvailable(old[0], minReady, nowMs)
  // An old pod that is not available makes room for the new one.
  return [...fresh.slice(1), ...old.slice(goes && fresh.length > 0 ? 0 : 1)]
}

/** The nodes on which a new pod starts beside the old one now; one that is not available does not count against the surge. */
function planSurge({ set, nodes, pods, hash }: DaemonSetView, surge: number, nowMs: number): readonly string[] {
  const minReady = set.spec.minReadySeconds ?? 0
  const byNode = groupByNode(pods)
  const unavailable: string[] = []
  const candidates: string[] = []
  let room = surge
  for (const node of nodes) {
    if (!wants(set, node).run) continue
    const name = node.metadata.name ?? ''
    const standing = (byNode.get(name) ?? []).filter((p) => !isTerminating(p))
    const old = standing.find((p) => !isCurrent(set, p, hash))
    if (old === undefined) continue
    if (standing.some((p) => isCurrent(set, p, hash))) room--
    else (isAvailable(old, minReady, nowMs) ? candidates : unavailable).push(name)
  }
  return [...unavailable, ...candidates.slice(0, Math.max(0, room))]
}

/** Pods of old templates that may go: all that are not available, and others as far as `maxUnavailable` allows. */
function planReplacement({ set, nodes, pods, hash }: DaemonSetView, nowMs: number): readonly Pod[] {
  if (set.spec.updateStrategy?.type === 'OnDelete') return []
  const desired = nodes.filter((n) => wants(set, n).run)
  const minReady = set.spec.minReadySeconds ?? 0
  const byNode = groupByNode(pods)
  let room = Math.max(1, scaledValue(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired.length, 'up'))
  const unavailable: Pod[] = []
  const candidates: Pod[] = []
  for (const node of desired) {
    const pod = (byNode.get(node.metadata.name ?? '') ?? []).find((p) => !isTerminating(p))
    const available = pod !== undefined && isAvailable(pod, minReady, nowMs)
    if (!available) room--
    if (pod === undefined || isCurrent(set, pod, hash)) continue
    ;(available ? candidates : unavailable).push(pod)
  }
  return [...unavailable, ...candidates.slice(0, Math.max(0, room))]
}

export const isCurrent = (set: DaemonSet, pod: Pod, hash: string) =>
  pod.metadata.labels?.[HASH_LABEL] === hash || pod.metadata.labels?.[GENERATION_LABEL] === (set.metadata.annotations?.[GENERATION] ?? '?')
