import type { KubeObject } from '../../machinery/object.ts'
import { byAge, createdMs, isAvailable, isFinished, isReady, isTerminating, scaledValue, withoutZeros } from '../pods/pod-state.ts'
import { selectsNode, toleratesNode } from './node-match.ts'

export const HASH_LABEL = 'controller-revision-hash'
export const GENERATION_LABEL = 'pod-template-generation'
export const GENERATION = 'deprecated.daemonset.template.generation'

const always = (key: string, effect: string) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect })

/** What pods of daemon sets put up with, whatever their template says. */
export function daemonTolerations(spec: KubeObject['spec']) {
  return [
    always('not-ready', 'NoExecute'),
    always('unreachable', 'NoExecute'),
    always('disk-pressure', 'NoSchedule'),
    always('memory-pressure', 'NoSchedule'),
    always('pid-pressure', 'NoSchedule'),
    always('unschedulable', 'NoSchedule'),
    ...(spec?.hostNetwork ? [always('network-unavailable', 'NoSchedule')] : []),
  ]
}

export interface DaemonSetView {
  readonly set: KubeObject
  readonly nodes: readonly KubeObject[]
  readonly pods: readonly KubeObject[]
  readonly hash: string
}

export interface DaemonSetPlan {
  /** Names of the nodes that are to get a pod. */
  readonly create: readonly string[]
  readonly remove: readonly KubeObject[]
  /** Pods that failed; they are removed, and made again. */
  readonly failed: readonly KubeObject[]
  /** There is more to be done: at most so many pods are made or removed at once. */
  readonly more: boolean
}

/** As upstream. */
const MOST = 250

/** The node that a pod is for, from before it is bound. */
export function nodeOf(pod: KubeObject): string {
  if (pod.spec?.nodeName) return pod.spec.nodeName
  const terms = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const term of terms) for (const field of term.matchFields ?? []) if (field.key === 'metadata.name') return field.values?.[0] ?? ''
  return ''
}

function wants(set: KubeObject, node: KubeObject): { readonly run: boolean; readonly stay: boolean } {
  const spec = set.spec?.template?.spec
  if (spec?.nodeName && spec.nodeName !== node.metadata.name) return { run: false, stay: false }
  if (!selectsNode(spec, node)) return { run: false, stay: false }
  const tolerations = [...(spec?.tolerations ?? []), ...daemonTolerations(spec)]
  const stay = toleratesNode(tolerations, node, ['NoExecute'])
  return { stay, run: stay && toleratesNode(tolerations, node, ['NoSchedule']) }
}

/** Whether something is to be done for the set now that the node is as it is; `runs`: a pod of the set is there. Pure. */
export function concernsNode(set: KubeObject, node: KubeObject, runs: boolean): boolean {
  const { run, stay } = wants(set, node)
  return runs ? !stay || (set.status?.numberMisscheduled ?? 0) > 0 : run
}

/** Bound before waiting, then by age; of the same second the one that is ready. */
const bySeniority = (a: KubeObject, b: KubeObject): number =>
  Number(b.spec?.nodeName !== undefined) - Number(a.spec?.nodeName !== undefined) ||
  createdMs(a) - createdMs(b) ||
  Number(isReady(b)) - Number(isReady(a)) ||
  byAge(a, b)

const groupByNode = (pods: readonly KubeObject[]) => Map.groupBy(pods, nodeOf)

/** Which nodes lack a pod, which pods are too many, and which old ones may be replaced now. Pure. */
export function planDaemonSet(view: DaemonSetView, nowMs: number): DaemonSetPlan {
  const { set, nodes, pods } = view
  if (isTerminating(set)) return { create: [], remove: [], failed: [], more: false }
  const byNode = groupByNode(pods)
  const surge = surgeOf(set, nodes.filter((n) => wants(set, n).run).length)
  const create: string[] = []
  const remove: KubeObject[] = []
  const failed: KubeObject[] = []
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
  return { create: create.slice(0, MOST), remove: remove.slice(0, MOST), failed, more: create.length > MOST || remove.length > MOST }
}

/** How many nodes may have a new pod beside the old one. */
function surgeOf(set: KubeObject, desired: number): number {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return 0
  return scaledValue(set.spec?.updateStrategy?.rollingUpdate?.maxSurge ?? 0, desired, 'up')
}

/** One pod a node, and during a rollout the old one until the new one is available: the oldest of each stays. */
function surplus({ set, hash }: DaemonSetView, running: readonly KubeObject[], nowMs: number): readonly KubeObject[] {
  const minReady = set.spec?.minReadySeconds ?? 0
  const fresh = running.filter((p) => isCurrent(set, p, hash))
  const old = running.filter((p) => !isCurrent(set, p, hash))
  const replaced = fresh[0] !== undefined && isAvailable(fresh[0], minReady, nowMs)
  const goes = replaced || fresh.length === 0 || old[0] === undefined || !isAvailable(old[0], minReady, nowMs)
  // An old pod that is of no use makes room for the new one.
  return [...fresh.slice(1), ...old.slice(goes && fresh.length > 0 ? 0 : 1)]
}

/** The nodes on which a new pod is started beside the old one now; where the old one is of no use that costs nothing. */
function planSurge({ set, nodes, pods, hash }: DaemonSetView, surge: number, nowMs: number): readonly string[] {
  const minReady = set.spec?.minReadySeconds ?? 0
  const byNode = groupByNode(pods)
  const useless: string[] = []
  const candidates: string[] = []
  let room = surge
  for (const node of nodes) {
    if (!wants(set, node).run) continue
    const name = node.metadata.name ?? ''
    const standing = (byNode.get(name) ?? []).filter((p) => !isTerminating(p))
    const old = standing.find((p) => !isCurrent(set, p, hash))
    if (old === undefined) continue
    if (standing.some((p) => isCurrent(set, p, hash))) room--
    else (isAvailable(old, minReady, nowMs) ? candidates : useless).push(name)
  }
  return [...useless, ...candidates.slice(0, Math.max(0, room))]
}

/** Pods of old templates that may go: those that are of no use anyway, and as many others as may be missing at once. */
function planReplacement({ set, nodes, pods, hash }: DaemonSetView, nowMs: number): readonly KubeObject[] {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return []
  const desired = nodes.filter((n) => wants(set, n).run)
  const minReady = set.spec?.minReadySeconds ?? 0
  const byNode = groupByNode(pods)
  let room = Math.max(1, scaledValue(set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired.length, 'up'))
  const useless: KubeObject[] = []
  const candidates: KubeObject[] = []
  for (const node of desired) {
    const pod = (byNode.get(node.metadata.name ?? '') ?? []).find((p) => !isTerminating(p))
    const available = pod !== undefined && isAvailable(pod, minReady, nowMs)
    if (!available) room--
    if (pod === undefined || isCurrent(set, pod, hash)) continue
    ;(available ? candidates : useless).push(pod)
  }
  return [...useless, ...candidates.slice(0, Math.max(0, room))]
}

const isCurrent = (set: KubeObject, pod: KubeObject, hash: string) =>
  pod.metadata.labels?.[HASH_LABEL] === hash || pod.metadata.labels?.[GENERATION_LABEL] === (set.metadata.annotations?.[GENERATION] ?? '?')

/** The status that nodes and pods make. Pure. */
export function daemonSetStatus({ set, nodes, pods, hash }: DaemonSetView, nowMs: number): KubeObject['status'] {
  const byNode = groupByNode(pods)
  const n = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 }
  for (const node of nodes) {
    const list = (byNode.get(node.metadata.name ?? '') ?? []).toSorted(bySeniority)
    const { run } = wants(set, node)
    if (!run) {
      if (list.length > 0) n.misscheduled++
      continue
    }
    n.desired++
    const pod = list[0]
    if (pod === undefined) continue
    n.current++
    if (isReady(pod)) n.ready++
    if (isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs)) n.available++
    if (isCurrent(set, pod, hash)) n.updated++
  }
  return {
    currentNumberScheduled: n.current,
    numberMisscheduled: n.misscheduled,
    desiredNumberScheduled: n.desired,
    numberReady: n.ready,
    ...withoutZeros({
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: n.updated,
      numberAvailable: n.available,
      numberUnavailable: n.desired - n.available,
      collisionCount: set.status?.collisionCount,
      conditions: set.status?.conditions,
    }),
  }
}
