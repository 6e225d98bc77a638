import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** As kube-controller-manager's `--node-monitor-grace-period`. */
export const GRACE_MS = 50_000

export interface Taint {
  key: string
  value?: string
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  timeAdded?: string
}

interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastHeartbeatTime?: string
  lastTransitionTime?: string
}

/** What is to be written for a node. */
export interface NodePlan {
  /** New conditions, when the node has gone silent. */
  readonly conditions?: readonly Condition[]
  /** New taints, when they differ from what stands. */
  readonly taints?: readonly Taint[]
  /** The node was ready until it went silent: its pods are not ready either. */
  readonly lost: boolean
  /** Old names of labels that are to follow the new ones. */
  readonly labels?: Readonly<Record<string, string>>
}

const UNKNOWN = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** `node.kubernetes.io/…` for each condition that is bad. */
const NO_SCHEDULE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'node.kubernetes.io/not-ready', Unknown: 'node.kubernetes.io/unreachable' },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
}
const OWN_NO_SCHEDULE = new Set([...Object.values(NO_SCHEDULE).flatMap((m) => Object.values(m)), 'node.kubernetes.io/unschedulable'])
const OWN_NO_EXECUTE = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

const isReadyBy = (conditions: readonly Condition[]) => conditions.find((c) => c.type === 'Ready')?.status === 'True'

/** Whether the node is ready, and has been heard of. Pure. */
export const isHeard = ({ status }: KubeObject, lastSeenMs: number, nowMs: number): boolean =>
  nowMs - lastSeenMs <= GRACE_MS && isReadyBy(status?.conditions ?? [])

/** Which nodes stand and fall together. */
export const zoneKey = ({ metadata: { labels = {} } }: KubeObject): string =>
  `${labels['topology.kubernetes.io/region'] ?? ''} ${labels['topology.kubernetes.io/zone'] ?? ''}`

/** Whether the loss of the node says something of its zone. */
export const countsForZone = ({ metadata: { labels = {} } }: KubeObject): boolean =>
  labels['node.kubernetes.io/exclude-disruption'] === undefined

/** Whether pods of a lost node may be evicted: not yet, or of none while all nodes are lost. */
export interface Pace {
  readonly allLost: boolean
  readonly mayGiveUp: () => boolean
}

/** Nothing is to be written, nor told. */
export const changesNothing = ({ lost, labels, conditions, taints }: NodePlan): boolean =>
  !lost && labels === undefined && conditions === undefined && taints === undefined

/** Decides from the node and the time of its last sign of life. Pure, but that it takes its turn of the pace. */
export function planNode(node: KubeObject, lastSeenMs: number, { nowMs, pace }: { readonly nowMs: number; readonly pace: Pace }): NodePlan {
  const silent = nowMs - lastSeenMs > GRACE_MS
  const standing = (node.status?.conditions ?? []) as Condition[]
  const conditions = silent ? silenced(standing, nowMs) : standing
  const taints = wantedTaints(node, conditions, { nowMs, pace })
  const labels = followingLabels(node)
  return {
    lost: isReadyBy(standing) && !isReadyBy(conditions),
    ...(labels === undefined ? {} : { labels }),
    ...(conditions === standing ? {} : { conditions }),
    ...(taints === undefined ? {} : { taints }),
  }
}

function silenced(standing: readonly Condition[], nowMs: number): readonly Condition[] {
  if (UNKNOWN.every((type) => standing.some((c) => c.type === type && c.status === 'Unknown'))) return standing
  const now = timestamp(nowMs)
  const silence = (type: string, old: Condition | undefined): Condition => {
    if (old?.status === 'Unknown') return old
    const said =
      old === undefined
        ? { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' }
        : { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
    return { ...old, type, status: 'Unknown', ...said, lastTransitionTime: now, lastHeartbeatTime: old?.lastHeartbeatTime ?? now }
  }
  const known = standing.map((c) => (UNKNOWN.includes(c.type) ? silence(c.type, c) : c))
  const missing = UNKNOWN.filter((type) => !standing.some((c) => c.type === type)).map((type) => silence(type, undefined))
  return [...known, ...missing]
}

const FOLLOWING: readonly (readonly [now: string, before: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
]

function followingLabels({ metadata: { labels = {} } }: KubeObject): Readonly<Record<string, string>> | undefined {
  const wrong = FOLLOWING.flatMap(([now, before]) =>
    labels[now] === undefined || labels[now] === labels[before] ? [] : [[before, labels[now]]],
  )
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}

function wantedTaints(
  node: KubeObject,
  conditions: readonly Condition[],
  { nowMs, pace }: { readonly nowMs: number; readonly pace: Pace },
): readonly Taint[] | undefined {
  const standing = (node.spec?.taints ?? []) as Taint[]
  const noSchedule = new Set(conditions.flatMap((c) => NO_SCHEDULE[c.type]?.[c.status] ?? []))
  if (node.spec?.unschedulable) noSchedule.add('node.kubernetes.io/unschedulable')
  const readiness = conditions.find((c) => c.type === 'Ready')?.status
  const noExecute = readiness === undefined || pace.allLost ? undefined : NO_SCHEDULE.Ready?.[readiness]
  const keep = standing.filter((t) =>
    t.effect === 'NoSchedule' && OWN_NO_SCHEDULE.has(t.key)
      ? noSchedule.has(t.key)
      : t.effect === 'NoExecute' && OWN_NO_EXECUTE.has(t.key)
        ? t.key === noExecute
        : true,
  )
  const has = (key: string, effect: string) => keep.some((t) => t.key === key && t.effect === effect)
  const add: Taint[] = []
  for (const key of noSchedule) if (!has(key, 'NoSchedule')) add.push({ key, effect: 'NoSchedule', timeAdded: timestamp(nowMs) })
  // A node that was given up before only changes its taint.
  const given = standing.some((t) => t.effect === 'NoExecute' && OWN_NO_EXECUTE.has(t.key))
  if (noExecute !== undefined && !has(noExecute, 'NoExecute') && (given || pace.mayGiveUp()))
    add.push({ key: noExecute, effect: 'NoExecute', timeAdded: timestamp(nowMs) })
  return add.length === 0 && keep.length === standing.length ? undefined : [...keep, ...add]
}

interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

/** How long the pod may stay under the node's NoExecute taints: undefined for ever, 0 not at all. */
export function stayMs(pod: KubeObject, taints: readonly Taint[]): number | undefined {
  const tolerations = (pod.spec?.tolerations ?? []) as Toleration[]
  let shortest: number | undefined
  for (const taint of taints.filter((t) => t.effect === 'NoExecute')) {
    // The first that fits is the one that counts.
    const toleration = tolerations.find((t) => tolerates(t, taint))
    if (toleration === undefined) return 0
    if (toleration.tolerationSeconds === undefined) continue
    shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, Math.max(0, toleration.tolerationSeconds) * 1000)
  }
  return shortest
}

function tolerates(t: Toleration, taint: Taint): boolean {
  if (t.effect && t.effect !== taint.effect) return false
  if (!t.key) return t.operator === 'Exists'
  if (t.key !== taint.key) return false
  return t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')
}
