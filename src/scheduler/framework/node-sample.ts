import type { NodeTable } from '../cache/node-table.ts'
import { UNSEEN } from './explanation.ts'

/** Clusters up to this size are looked at whole, and so many fitting nodes are always looked for. */
const LEAST_NODES = 100

/** How many fitting nodes end the search, of so many nodes; 0 and 100 per cent: all of them. */
export function nodesToFind(percentage: number, nodes: number): number {
  if (nodes < LEAST_NODES || percentage <= 0 || percentage >= 100) return nodes
  return Math.max(LEAST_NODES, Math.trunc((nodes * percentage) / 100))
}

const [ZONE, REGION] = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const

/**
 * Picks nodes until enough of them fit (`percentageOfNodesToScore`). Each pick continues where the one before ended, zone by zone, so that
 * all nodes get their chance.
 */
export class NodeSample {
  #next = 0
  #order: readonly number[] = []
  #orderOf = -1

  /** A copy of the verdicts in which nodes that were not reached are `UNSEEN`; the same column where all of them are to be looked at. */
  of(table: NodeTable, verdicts: Int32Array, percentage: number): Int32Array {
    const wanted = nodesToFind(percentage, table.count)
    if (wanted >= table.count) return verdicts
    const order = this.#rows(table)
    let found = 0
    let seen = 0
    const reached = new Uint8Array(table.rows)
    while (seen < order.length && found < wanted) {
      const row = order[(this.#next + seen) % order.length] ?? 0
      reached[row] = 1
      if (verdicts[row] === 0) found++
      seen++
    }
    this.#next = (this.#next + seen) % order.length
    return verdicts.slice(0, table.rows).map((verdict, row) => (verdict === 0 && reached[row] === 0 ? UNSEEN : verdict))
  }

  /** The rows of living nodes, zone by zone in turn; kept until a node comes or goes. */
  #rows(table: NodeTable): readonly number[] {
    if (this.#orderOf === table.membership) return this.#order
    const zones = new Map<string, number[]>()
    for (let row = 0; row < table.rows; row++) {
      if (table.alive[row] !== 1) continue
      const labels = table.labels[row] ?? {}
      const zone = `${labels[REGION] ?? ''}\0${labels[ZONE] ?? ''}`
      const known = zones.get(zone)
      if (known === undefined) zones.set(zone, [row])
      else known.push(row)
    }
    const order: number[] = []
    const lists = [...zones.values()]
    for (let i = 0; order.length < table.count; i++) for (const rows of lists) if (i < rows.length) order.push(rows[i] ?? 0)
    this.#order = order
    this.#orderOf = table.membership
    return order
  }
}
