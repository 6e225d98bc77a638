import { exponentialBounds, type Family, label, type Sample } from '../../base/exposition.ts'
import { gauge } from '../../base/metrics.ts'
import type { ControllerMetrics } from '../frame/controller-metrics.ts'
import type { Disruption } from './disruption.ts'

/** What the node life cycle controller counts. */
export interface NodeMetrics {
  /** The pods of a node of this zone have to go. */
  evicted(zone: string): void
  nodeLookedAt(seconds: number): void
  allLookedAt(seconds: number): void
}

const NAME = 'node_collector'

export function createNodeMetrics(metrics: ControllerMetrics): NodeMetrics {
  const evictions = metrics.counter({
    name: `${NAME}_evictions_total`,
    help: 'Nodes whose pods had to go.',
    labels: ['zone'],
    stability: 'STABLE',
  })
  const one = metrics.histogram({
    name: `${NAME}_update_node_health_duration_seconds`,
    help: 'How long the look at one node took.',
    bounds: exponentialBounds(0.001, 4, 8),
  })
  const all = metrics.histogram({
    name: `${NAME}_update_all_nodes_health_duration_seconds`,
    help: 'How long the look at all nodes took.',
    bounds: exponentialBounds(0.01, 4, 8),
  })
  return {
    evicted: (zone) => evictions.add([zoneLabel(zone)]),
    nodeLookedAt: (seconds) => one.observe(seconds),
    allLookedAt: (seconds) => all.observe(seconds),
  }
}

/** The size and the health of each zone, as they were at the last look at all nodes. */
export function zoneFamilies(zones: Disruption['counts']): readonly Family[] {
  const of = (name: string, help: string, value: (zone: { readonly ready: number; readonly notReady: number }) => number) =>
    gauge(
      { name: `${NAME}_${name}`, help },
      [...zones].map(([zone, counts]): Sample => [label('zone', zoneLabel(zone)), value(counts)]),
    )
  return [
    of('zone_size', 'Nodes of a zone.', ({ ready, notReady }) => ready + notReady),
    of('zone_health', 'Percentage of nodes of a zone that are ready.', ({ ready, notReady }) => (ready * 100) / (ready + notReady)),
    of('unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.', ({ notReady }) => notReady),
  ]
}

/** Region and zone as Kubernetes writes them into one name; empty for nodes with neither. */
const zoneLabel = (zone: string): string => (zone === ' ' ? '' : zone.replace(' ', ':\x00:'))
