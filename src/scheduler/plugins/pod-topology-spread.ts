import { compileMatcher } from '../../machinery/selectors/label-matcher.ts'
import type { Pod, Taint, Toleration, TopologySpreadConstraint } from '../../resources/types/core.ts'
import { withLabelKeys } from '../cache/affinity-term.ts'
import type { NodeTable } from '../cache/node-table.ts'
import type { PodCounter } from '../cache/pod-counters.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { TopologyColumn } from '../cache/topology.ts'
import type { NodeMatcher } from '../framework/node-selector.ts'
import type { Plugin, PluginFactory } from '../framework/plugin.ts'
import type { PluginContext, PreparedFilter, PreparedScore } from '../framework/prepared.ts'
import { unresolvable, unschedulable, type Verdict } from '../framework/verdict.ts'
import { ownersSelector } from './default-constraints.ts'
import { requiredNodeAffinity } from './node-affinity.ts'
import { findUntolerated } from './taint-toleration.ts'

const NAME = 'PodTopologySpread'
const UNEVEN = unschedulable(NAME, "node(s) didn't match pod topology spread constraints")
const NO_LABEL = unresolvable(NAME, "node(s) didn't match pod topology spread constraints (missing required label)")
const HOSTNAME = 'kubernetes.io/hostname'

const SYSTEM_DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
]

/** Spreads the pods that a constraint selects evenly over the values of a node label. */
export const podTopologySpread: PluginFactory = (args) => {
  const listed = args.defaultingType === 'List'
  const defaults = listed ? ((args.defaultConstraints as TopologySpreadConstraint[] | undefined) ?? []) : SYSTEM_DEFAULTS
  const constraintsOf = (pod: PodInfo, context: PluginContext, when: string) => constraints(pod, context, when, defaults)
  const touches = (pod: PodInfo, other: Readonly<Pod> | undefined) =>
    other !== undefined &&
    other.metadata.namespace === pod.namespace &&
    (pod.pod.spec.topologySpreadConstraints ?? []).some((c) => compileMatcher(c.labelSelector)(other.metadata.labels ?? {}))
  const labelled = (pod: PodInfo, labels: Readonly<Record<string, string>> | undefined) =>
    (pod.pod.spec.topologySpreadConstraints ?? defaults).every((c) => labels?.[c.topologyKey] !== undefined)
  return {
    name: NAME,
    scope: 'cluster',
    filter(pod, context, onTrial = false) {
      const own = constraintsOf(pod, context, 'DoNotSchedule')
      return onTrial ? prepareTrial(context, own) : prepareFilter(pod, context, own)
    },
    score(pod, context, rows) {
      const own = constraintsOf(pod, context, 'ScheduleAnyway')
      const needsAll = (pod.pod.spec.topologySpreadConstraints?.length ?? 0) > 0 || listed
      return own.length === 0 ? undefined : prepareScore(pod, context, own, rows(), needsAll)
    },
    hints: {
      'pod-updated': () => true,
      'pod-assigned': (pod, { pod: other }) => touches(pod, other),
      'assigned-pod-updated': (pod, { pod: other, oldPod }) => touches(pod, other) || touches(pod, oldPod),
      'assigned-pod-deleted': (pod, { pod: other }) => touches(pod, other),
      'node-added': (pod, { node }) => labelled(pod, node?.metadata.labels),
      'node-updated': (pod, { node, oldNode }) => labelled(pod, node?.metadata.labels) || labelled(pod, oldNode?.metadata.labels),
    },
  } satisfies Plugin
}

/** A prepared constraint: its column of values, its column of counts, and the nodes that it covers. */
interface Constraint {
  readonly key: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly column: TopologyColumn
  readonly counter: PodCounter
  /** Whether the pod counts itself where it goes. */
  readonly self: number
  readonly includes: (row: number) => boolean
}

function constraints(
  pod: PodInfo,
  context: PluginContext,
  when: string,
  defaults: readonly TopologySpreadConstraint[],
): readonly Constraint[] {
  const own = pod.pod.spec.topologySpreadConstraints ?? []
  let given = own
  if (own.length === 0) {
    const wanted = defaults.filter((c) => c.whenUnsatisfiable === when)
    const labelSelector = wanted.length === 0 ? undefined : ownersSelector(pod.pod, context.listers)
    if (labelSelector === undefined) return []
    given = wanted.map((c) => ({ ...c, labelSelector }))
  }
  const affinity = requiredNodeAffinity(pod.pod)
  return given.filter((c) => c.whenUnsatisfiable === when).map((c) => ready(pod, context.table, c, affinity))
}

function ready(pod: PodInfo, table: NodeTable, constraint: TopologySpreadConstraint, affinity: NodeMatcher | undefined): Constraint {
  const selector = withLabelKeys(pod.pod, constraint.labelSelector, constraint.matchLabelKeys)
  const matches = compileMatcher(selector)
  const takes = (other: PodInfo) => other.namespace === pod.namespace && !other.terminating && matches(other.labels)
  return {
    key: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 1,
    column: table.topology(constraint.topologyKey),
    counter: table.counter(JSON.stringify(['spread', pod.namespace, selector]), takes),
    self: matches(pod.labels) ? 1 : 0,
    includes: inclusion(table, constraint, affinity, pod.pod.spec.tolerations ?? []),
  }
}

function inclusion(table: NodeTable, c: TopologySpreadConstraint, affinity: NodeMatcher | undefined, tolerations: readonly Toleration[]) {
  const byAffinity = affinity !== undefined && (c.nodeAffinityPolicy ?? 'Honor') === 'Honor' ? affinity : undefined
  const byTaints = c.nodeTaintsPolicy === 'Honor'
  if (byAffinity === undefined && !byTaints) return () => true
  const taintsOf = (row: number): readonly Taint[] => table.taintSets[table.taintSet[row] ?? 0] ?? []
  return (row: number) =>
    (byAffinity?.(table.labels[row] ?? {}, table.names[row] ?? '') ?? true) &&
    (!byTaints || findUntolerated(taintsOf(row), tolerations) === undefined)
}

/** Pods per value over the eligible nodes that have all the keys; −1 for values that no such node has. */
function countByValue(table: NodeTable, constraint: Constraint, hasAllKeys: (row: number) => boolean): Int32Array {
  const { column, counter, includes } = constraint
  const sums = new Int32Array(column.values).fill(-1)
  const { ids } = column
  const { counts } = counter
  const { alive } = table
  for (let row = 0; row < table.rows; row++) {
    const value = ids[row] ?? -1
    if (value < 0 || alive[row] !== 1 || !hasAllKeys(row) || !includes(row)) continue
    sums[value] = Math.max(0, sums[value] ?? 0) + (counts[row] ?? 0)
  }
  return sums
}

/** Whether a node has the labels of all constraints. */
function keyed(all: readonly Constraint[]): (row: number) => boolean {
  const [only] = all
  if (only !== undefined && all.length === 1) {
    const { ids } = only.column
    return (row) => (ids[row] ?? -1) >= 0
  }
  return (row) => all.every((c) => (c.column.ids[row] ?? -1) >= 0)
}

function prepareFilter(_pod: PodInfo, { table }: PluginContext, all: readonly Constraint[]): PreparedFilter | undefined {
  if (all.length === 0) return undefined
  const hasAllKeys = keyed(all)
  const ready = all.map((constraint) => ({
    ids: constraint.column.ids,
    full: fullValues(countByValue(table, constraint, hasAllKeys), constraint),
  }))
  const [only] = ready
  if (only !== undefined && ready.length === 1) {
    const { ids, full } = only
    return {
      check(row) {
        const value = ids[row] ?? -1
        return value < 0 ? NO_LABEL : full[value] === 1 ? UNEVEN : undefined
      },
    }
  }
  return { check: (row) => unfit(ready, row) }
}

interface ReadyConstraint {
  /** The value of each row; −1 without the label. */
  readonly ids: Int32Array
  /** The values that cannot take one more: 1 for each. */
  readonly full: Uint8Array
}

/** The first constraint's verdict that turns the node of the row down. */
function unfit(ready: readonly ReadyConstraint[], row: number): Verdict | undefined {
  for (const { ids, full } of ready) {
    const value = ids[row] ?? -1
    if (value < 0) return NO_LABEL
    if (full[value] === 1) return UNEVEN
  }
  return undefined
}

/** The same with AddPod and RemovePod: the sums follow pods that are added or removed on trial. */
function prepareTrial({ table }: PluginContext, all: readonly Constraint[]): PreparedFilter | undefined {
  if (all.length === 0) return undefined
  const hasAllKeys = keyed(all)
  const ready = all.map((constraint) => {
    const sums = countByValue(table, constraint, hasAllKeys)
    return { constraint, ids: constraint.column.ids, sums, full: fullValues(sums, constraint) }
  })
  const move = (other: PodInfo, row: number, by: 1 | -1) => {
    if (table.alive[row] !== 1 || !hasAllKeys(row)) return
    for (const one of ready) {
      const value = one.ids[row] ?? -1
      if (!one.constraint.counter.takes(other) || !one.constraint.includes(row)) continue
      one.sums[value] = (one.sums[value] ?? 0) + by
      one.full = fullValues(one.sums, one.constraint)
    }
  }
  return {
    check: (row) => unfit(ready, row),
    addPod: (other, row) => move(other, row, 1),
    removePod: (other, row) => move(other, row, -1),
  }
}

/** The values that cannot take one more: 1 for each. */
function fullValues(sums: Int32Array, { minDomains, self, maxSkew }: Constraint): Uint8Array {
  let domains = 0
  let least = Number.MAX_SAFE_INTEGER
  for (const sum of sums) {
    if (sum < 0) continue
    domains++
    if (sum < least) least = sum
  }
  if (domains < minDomains) least = 0
  return Uint8Array.from(sums, (sum) => (Math.max(0, sum) + self - least > maxSkew ? 1 : 0))
}

function prepareScore(
  _pod: PodInfo,
  { table }: PluginContext,
  all: readonly Constraint[],
  rows: Int32Array,
  needsAll: boolean,
): PreparedScore | undefined {
  const hasAllKeys = needsAll ? keyed(all) : () => true
  const ignored = new Set<number>()
  for (const row of rows) if (!hasAllKeys(row)) ignored.add(row)
  const ready = all.map((constraint) => {
    const candidates = new Set<number>()
    for (const row of rows) {
      const value = constraint.column.ids[row] ?? -1
      if (!ignored.has(row) && value >= 0) candidates.add(value)
    }
    const host = constraint.key === HOSTNAME
    const size = host ? rows.length - ignored.size : candidates.size
    return { constraint, host, weight: Math.log(size + 2), sums: host ? undefined : countByValue(table, constraint, hasAllKeys) }
  })
  return {
    of(row) {
      if (ignored.has(row)) return 0
      let score = 0
      for (const { constraint, host, weight, sums } of ready) {
        const value = constraint.column.ids[row] ?? -1
        if (value < 0) continue
        const count = host ? (constraint.counter.counts[row] ?? 0) : Math.max(0, sums?.[value] ?? 0)
        score += count * weight + (constraint.maxSkew - 1)
      }
      return Math.round(score)
    },
    normalize(scores, at) {
      let min = Number.MAX_SAFE_INTEGER
      let max = 0
      for (let i = 0; i < at.length; i++) {
        if (ignored.has(at[i] ?? 0)) continue
        min = Math.min(min, scores[i] ?? 0)
        max = Math.max(max, scores[i] ?? 0)
      }
      for (let i = 0; i < at.length; i++) {
        if (ignored.has(at[i] ?? 0)) scores[i] = 0
        else scores[i] = max === 0 ? 100 : Math.trunc((100 * (max + min - (scores[i] ?? 0))) / max)
      }
    },
  }
}
