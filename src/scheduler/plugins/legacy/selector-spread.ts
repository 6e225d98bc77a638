import type { NodeTable } from '../../cache/node-table.ts'
import type { Plugin } from '../../framework/plugin.ts'
import { ownersSelector } from '../default-constraints.ts'
import { countPods, serviceSelector } from './service-pods.ts'

/** A zone weighs twice as much as a node. */
const ZONE_SHARE = 2 / 3

/** SelectorSpreadPriority, ServiceSpreadingPriority: few pods of the same services (and controllers) on a node, and in a zone. */
export function selectorSpread(name: string, { servicesOnly }: { servicesOnly?: unknown }): Plugin {
  return {
    name,
    scope: 'cluster',
    score(pod, context) {
      const { table, listers } = context
      if ((pod.pod.spec.topologySpreadConstraints ?? []).length > 0) return undefined
      const selector = servicesOnly === true ? serviceSelector(pod, listers) : ownersSelector(pod.pod, listers)
      if (selector === undefined) return undefined
      const { counts } = countPods(pod.namespace, selector, context)
      return { of: (row) => counts[row] ?? 0, normalize: (scores, rows) => spread(scores, rows, table) }
    },
  }
}

/** Counts become scores: 100 where there are none. */
function spread(scores: Float64Array, rows: Int32Array, table: NodeTable): void {
  const zones = new Map<string, number>()
  let most = 0
  rows.forEach((row, i) => {
    const [zone, count] = [zoneOf(table, row), scores[i] ?? 0]
    most = Math.max(most, count)
    if (zone !== undefined) zones.set(zone, (zones.get(zone) ?? 0) + count)
  })
  const fullest = Math.max(0, ...zones.values())
  const share = (count: number, max: number) => (max === 0 ? 100 : (100 * (max - count)) / max)
  rows.forEach((row, i) => {
    const zone = zoneOf(table, row)
    const own = share(scores[i] ?? 0, most)
    scores[i] = Math.trunc(zone === undefined ? own : own * (1 - ZONE_SHARE) + share(zones.get(zone) ?? 0, fullest) * ZONE_SHARE)
  })
}

function zoneOf(table: NodeTable, row: number): string | undefined {
  const { 'topology.kubernetes.io/region': region = '', 'topology.kubernetes.io/zone': zone = '' } = table.labels[row] ?? {}
  return region === '' && zone === '' ? undefined : JSON.stringify([region, zone])
}
