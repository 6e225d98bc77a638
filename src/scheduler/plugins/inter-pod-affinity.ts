import { semanticEqual } from '../../machinery/equal.ts'
import type { AffinityTerm } from '../cache/affinity-term.ts'
import type { NodeTable } from '../cache/node-table.ts'
import { type CarriedTerm, termTakes } from '../cache/pod-counters.ts'
import { type PodInfo, podInfo } from '../cache/pod-info.ts'
import type { TopologyColumn } from '../cache/topology.ts'
import type { Listers } from '../framework/listers.ts'
import type { Plugin, PluginFactory } from '../framework/plugin.ts'
import type { PluginContext, PreparedFilter, PreparedScore } from '../framework/prepared.ts'
import { unresolvable, unschedulable, type Verdict } from '../framework/verdict.ts'

const NAME = 'InterPodAffinity'
const NO_FRIEND = unresolvable(NAME, "node(s) didn't match pod affinity rules")
const OWN_FOE = unschedulable(NAME, "node(s) didn't match pod anti-affinity rules")
const OTHERS_FOE = unschedulable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules")

/** Near to, or away from, other pods: by the pod's own terms and by those of the pods that are placed. */
export const interPodAffinity: PluginFactory = (args) => {
  const hardWeight = typeof args.hardPodAffinityWeight === 'number' ? args.hardPodAffinityWeight : 1
  const ignoreOthers = args.ignorePreferredTermsOfExistingPods === true
  return {
    name: NAME,
    scope: 'cluster',
    filter: prepareFilter,
    score: (pod, context) => prepareScore(pod, context, hardWeight, ignoreOthers),
    hints: {
      'pod-updated': () => true,
      'pod-assigned': (pod, { pod: other }, { listers }) => other !== undefined && attracts(pod, podInfo(other), listers),
      'assigned-pod-updated': (pod, { pod: now, oldPod }, { listers }) =>
        now !== undefined && (attracts(pod, podInfo(now), listers) || (oldPod !== undefined && repels(pod, podInfo(oldPod), listers))),
      'assigned-pod-deleted': (pod, { pod: gone }, { listers }) => gone !== undefined && repels(pod, podInfo(gone), listers),
      // Which namespaces a term selects.
      'changed/namespaces': (_pod, { object, oldObject, gone }) =>
        gone === true || !semanticEqual(object?.metadata.labels ?? {}, oldObject?.metadata.labels ?? {}),
      'node-added': () => true,
      // Its pods no longer count for the anti-affinity of others.
      'node-deleted': () => true,
      'node-updated': (_pod, { node, oldNode }) => JSON.stringify(node?.metadata.labels) !== JSON.stringify(oldNode?.metadata.labels),
    },
  } satisfies Plugin
}

const attracts = (pod: PodInfo, other: PodInfo, { namespaceLabels }: Listers) =>
  (pod.terms?.requiredAffinity ?? []).some((term) => termTakes(term, other, namespaceLabels))

const repels = (pod: PodInfo, other: PodInfo, { namespaceLabels }: Listers) =>
  (pod.terms?.requiredAntiAffinity ?? []).some((term) => termTakes(term, other, namespaceLabels)) ||
  (other.terms?.requiredAntiAffinity ?? []).some((term) => termTakes(term, pod, namespaceLabels))

/** A column of counts summed over the values of a topology key. */
interface Sums {
  readonly column: TopologyColumn
  readonly byValue: Float64Array
}

function addCounts(table: NodeTable, into: Sums, counts: Int32Array, weight: number): void {
  const { byValue, column } = into
  const { ids } = column
  const { alive } = table
  for (let row = 0; row < table.rows; row++) {
    const count = counts[row] ?? 0
    if (count === 0) continue
    const value = ids[row] ?? -1
    if (value >= 0 && alive[row] === 1) byValue[value] = (byValue[value] ?? 0) + count * weight
  }
}

const emptySums = (table: NodeTable, key: string): Sums => {
  const column = table.topology(key)
  return { column, byValue: new Float64Array(column.values) }
}

const at = (sums: Sums, row: number): number => {
  const value = sums.column.ids[row] ?? -1
  return value < 0 ? 0 : (sums.byValue[value] ?? 0)
}

/** How many placed pods a term (or all of several terms) takes, per row. */
function counterOf(context: PluginContext, terms: readonly AffinityTerm[]) {
  const { namespaceLabels } = context.listers
  const key = JSON.stringify(['affinity', terms.map((t) => t.key)])
  return context.table.counter(key, (other) => terms.every((term) => termTakes(term, other, namespaceLabels)))
}

function prepareFilter(pod: PodInfo, context: PluginContext, onTrial = false): PreparedFilter | undefined {
  const { table, listers } = context
  const affinity = pod.terms?.requiredAffinity ?? []
  const antiAffinity = pod.terms?.requiredAntiAffinity ?? []
  const foes = [...table.carried.of('requiredAntiAffinity').values()].filter(({ term }) => termTakes(term, pod, listers.namespaceLabels))
  if (affinity.length === 0 && antiAffinity.length === 0 && foes.length === 0 && !onTrial) return undefined

  const friends = affinity.length === 0 ? undefined : counterOf(context, affinity)
  const friendly = affinity.map((term) => sumsOf(table, term.topologyKey, friends?.counts))
  const isOfGroup = affinity.every((term) => termTakes(term, pod, listers.namespaceLabels))
  // The first pod of a group with affinity to itself may go to any node that has the topology labels.
  const isFirst = () => isOfGroup && friendly.every((sums) => sums.byValue.every((n) => n === 0))
  let first = isFirst()
  const foeCounters = antiAffinity.map((term) => counterOf(context, [term]))
  const hostile = antiAffinity.map((term, i) => sumsOf(table, term.topologyKey, foeCounters[i]?.counts))
  const othersHostile = byKey(table, foes)
  const [foe] = othersHostile.values()
  if (!onTrial && friendly.length === 0 && hostile.length + othersHostile.size === 1) {
    const sums = hostile[0] ?? foe
    if (sums !== undefined) return oneFoe(sums, hostile.length === 1 ? OWN_FOE : OTHERS_FOE)
  }
  const move = (other: PodInfo, row: number, by: 1 | -1) => {
    if (table.alive[row] !== 1) return
    if (friends?.takes(other)) {
      for (const sums of friendly) bump(sums, row, by)
      first = isFirst()
    }
    for (const [i, counter] of foeCounters.entries()) if (counter.takes(other)) bump(hostile[i], row, by)
    for (const term of other.terms?.requiredAntiAffinity ?? []) {
      if (!termTakes(term, pod, listers.namespaceLabels)) continue
      const sums = othersHostile.get(term.topologyKey) ?? emptySums(table, term.topologyKey)
      othersHostile.set(term.topologyKey, sums)
      bump(sums, row, by)
    }
  }
  return {
    check(row) {
      for (const sums of friendly) {
        if ((sums.column.ids[row] ?? -1) < 0) return NO_FRIEND
        if (at(sums, row) <= 0 && !first) return NO_FRIEND
      }
      for (const sums of hostile) if (at(sums, row) > 0) return OWN_FOE
      for (const sums of othersHostile.values()) if (at(sums, row) > 0) return OTHERS_FOE
      return undefined
    },
    addPod: (other, row) => move(other, row, 1),
    removePod: (other, row) => move(other, row, -1),
  }
}

function bump(sums: Sums | undefined, row: number, by: number): void {
  const value = sums?.column.ids[row] ?? -1
  if (sums !== undefined && value >= 0) sums.byValue[value] = (sums.byValue[value] ?? 0) + by
}

/** The common case: one thing to stay away from. */
function oneFoe({ column: { ids }, byValue }: Sums, verdict: Verdict): PreparedFilter {
  return {
    check(row) {
      const value = ids[row] ?? -1
      return value >= 0 && (byValue[value] ?? 0) > 0 ? verdict : undefined
    },
  }
}

function sumsOf(table: NodeTable, key: string, counts: Int32Array | undefined): Sums {
  const sums = emptySums(table, key)
  if (counts !== undefined) addCounts(table, sums, counts, 1)
  return sums
}

function byKey(table: NodeTable, carried: readonly CarriedTerm[]): Map<string, Sums> {
  const all = new Map<string, Sums>()
  for (const { term, counts } of carried) {
    const sums = all.get(term.topologyKey) ?? emptySums(table, term.topologyKey)
    all.set(term.topologyKey, sums)
    addCounts(table, sums, counts, 1)
  }
  return all
}

function prepareScore(pod: PodInfo, context: PluginContext, hardWeight: number, ignoreOthers: boolean): PreparedScore | undefined {
  const { table, listers } = context
  const preferred = pod.terms?.preferredAffinity ?? []
  const avoided = pod.terms?.preferredAntiAffinity ?? []
  if (ignoreOthers && preferred.length === 0 && avoided.length === 0) return undefined
  const all = new Map<string, Sums>()
  let met = false
  const weigh = (key: string, counts: Int32Array, total: number, weight: number) => {
    if (total === 0) return
    const sums = all.get(key) ?? emptySums(table, key)
    all.set(key, sums)
    addCounts(table, sums, counts, weight)
    met = true
  }
  for (const [terms, sign] of [
    [preferred, 1],
    [avoided, -1],
  ] as const) {
    for (const term of terms) {
      const counter = counterOf(context, [term])
      weigh(term.topologyKey, counter.counts, counter.total, sign * term.weight)
    }
  }
  const others = (kind: 'requiredAffinity' | 'preferredAffinity' | 'preferredAntiAffinity', weight: (term: AffinityTerm) => number) => {
    for (const { term, counts, total } of table.carried.of(kind).values()) {
      if (termTakes(term, pod, listers.namespaceLabels)) weigh(term.topologyKey, counts, total, weight(term))
    }
  }
  if (hardWeight > 0) others('requiredAffinity', () => hardWeight)
  if (!ignoreOthers) {
    others('preferredAffinity', (term) => term.weight)
    others('preferredAntiAffinity', (term) => -term.weight)
  }
  if (!met) return undefined
  const sums = [...all.values()]
  return {
    of(row) {
      let score = 0
      for (const one of sums) score += at(one, row)
      return score
    },
    normalize(scores, rows) {
      let min = Number.MAX_SAFE_INTEGER
      let max = -Number.MAX_SAFE_INTEGER
      for (let i = 0; i < rows.length; i++) {
        min = Math.min(min, scores[i] ?? 0)
        max = Math.max(max, scores[i] ?? 0)
      }
      const span = max - min
      for (let i = 0; i < rows.length; i++) scores[i] = span > 0 ? Math.trunc((100 * ((scores[i] ?? 0) - min)) / span) : 0
    },
  }
}
