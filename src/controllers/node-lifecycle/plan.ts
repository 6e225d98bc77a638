import { timestamp } from '../../base/clock.ts'
import type { Node, NodeCondition, Taint } from '../../resources/types/core.ts'

/** As kube-controller-manager's `--node-monitor-grace-period`. */
export const GRACE_MS = 50_000

/** What is written for a node. */
export interface NodePlan {
  /** New conditions, if the node has gone silent. */
  readonly conditions?: readonly NodeCondition[]
  /** New taints, if they differ from the current ones. */
  readonly taints?: readonly Taint[]
  /** The node was ready until it went silent: its pods are not ready either. */
  readonly lost: boolean
  /** Labels with deprecated names that follow those with the new names. */
  readonly labels?: Readonly<Record<string, string>>
}

const UNKNOWN = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** The taint of each condition in a bad status. */
const NO_SCHEDULE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'node.kubernetes.io/not-ready', Unknown: 'node.kubernetes.io/unreachable' },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
}
const OWN_NO_SCHEDULE = new Set([...Object.values(NO_SCHEDULE).flatMap((m) => Object.values(m)), 'node.kubernetes.io/unschedulable'])
const OWN_NO_EXECUTE = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

const isReadyBy = (conditions: readonly NodeCondition[]) => conditions.find((c) => c.type === 'Ready')?.status === 'True'

/** Whether the node is ready, and has given a sign of life within the grace period. Pure. */
export const isHeard = ({ status }: Node, lastSeenMs: number, nowMs: number): boolean =>
  nowMs - lastSeenMs <= GRACE_MS && isReadyBy(status?.conditions ?? [])

/** Nodes of the same zone tend to fail together. */
export const zoneKey = ({ metadata: { labels = {} } }: Node): string =>
  `${labels['topology.kubernetes.io/region'] ?? ''} ${labels['topology.kubernetes.io/zone'] ?? ''}`

/** Whether the loss of the node counts as a disruption of its zone. */
export const countsForZone = ({ metadata: { labels = {} } }: Node): boolean => labels['node.kubernetes.io/exclude-disruption'] === undefined

/** Whether pods of a lost node may be evicted now: evictions are rate limited, and stop while all nodes are lost. */
export interface Pace {
  readonly allLost: boolean
  readonly mayGiveUp: () => boolean
}

/** Nothing is written or reported. */
export const changesNothing = ({ lost, labels, conditions, taints }: NodePlan): boolean =>
  !lost && labels === undefined && conditions === undefined && taints === undefined

/** Decides from the node and the time of its last sign of life. Pure, except that it takes a token of the pace. */
export function planNode(node: Node, lastSeenMs: number, { nowMs, pace }: { readonly nowMs: number; readonly pace: Pace }): NodePlan {
  const silent = nowMs - lastSeenMs > GRACE_MS
  const current = node.status?.conditions ?? []
  const conditions = silent ? silenced(current, nowMs) : current
  const taints = wantedTaints(node, conditions, { nowMs, pace })
  const labels = deprecatedLabels(node)
  return {
    lost: isReadyBy(current) && !isReadyBy(conditions),
    ...(labels === undefined ? {} : { labels }),
    ...(conditions === current ? {} : { conditions }),
    ...(taints === undefined ? {} : { taints }),
  }
}

function silenced(current: readonly NodeCondition[], nowMs: number): readonly NodeCondition[] {
  if (UNKNOWN.every((type) => current.some((c) => c.type === type && c.status === 'Unknown'))) return current
  const now = timestamp(nowMs)
  const silence = (type: string, old: NodeCondition | undefined): NodeCondition => {
    if (old?.status === 'Unknown') return old
    const texts =
      old === undefined
        ? { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' }
        : { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
    return { ...old, type, status: 'Unknown', ...texts, lastTransitionTime: now, lastHeartbeatTime: old?.lastHeartbeatTime ?? now }
  }
  const known = current.map((c) => (UNKNOWN.includes(c.type) ? silence(c.type, c) : c))
  const missing = UNKNOWN.filter((type) => !current.some((c) => c.type === type)).map((type) => silence(type, undefined))
  return [...known, ...missing]
}

const DEPRECATED_LABELS: readonly (readonly [now: string, before: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
]

function deprecatedLabels({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = DEPRECATED_LABELS.flatMap(([now, before]) =>
    labels[now] === undefined || labels[now] === labels[before] ? [] : [[before, labels[now]]],
  )
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}

function wantedTaints(
  node: Node,
  conditions: readonly NodeCondition[],
  { nowMs, pace }: { readonly nowMs: number; readonly pace: Pace },
): readonly Taint[] | undefined {
  const current = node.spec?.taints ?? []
  const noSchedule = new Set(conditions.flatMap((c) => NO_SCHEDULE[c.type]?.[c.status] ?? []))
  if (node.spec?.unschedulable) noSchedule.add('node.kubernetes.io/unschedulable')
  const readiness = conditions.find((c) => c.type === 'Ready')?.status
  const noExecute = readiness === undefined || pace.allLost ? undefined : NO_SCHEDULE.Ready?.[readiness]
  const keep = current.filter((t) =>
    t.effect === 'NoSchedule' && OWN_NO_SCHEDULE.has(t.key)
      ? noSchedule.has(t.key)
      : t.effect === 'NoExecute' && OWN_NO_EXECUTE.has(t.key)
        ? t.key === noExecute
        : true,
  )
  const has = (key: string, effect: string) => keep.some((t) => t.key === key && t.effect === effect)
  const add: Taint[] = []
  for (const key of noSchedule) if (!has(key, 'NoSchedule')) add.push({ key, effect: 'NoSchedule', timeAdded: timestamp(nowMs) })
  // A node whose pods are evicted already only changes its taint.
  const evicting = current.some((t) => t.effect === 'NoExecute' && OWN_NO_EXECUTE.has(t.key))
  if (noExecute !== undefined && !has(noExecute, 'NoExecute') && (evicting || pace.mayGiveUp()))
    add.push({ key: noExecute, effect: 'NoExecute', timeAdded: timestamp(nowMs) })
  return add.length === 0 && keep.length === current.length ? undefined : [...keep, ...add]
}
