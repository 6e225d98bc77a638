import { isScalarResource } from '../cache/amounts.ts'
import type { NodeTable } from '../cache/node-table.ts'
import type { PodInfo } from '../cache/pod-info.ts'

interface WeightedResource {
  readonly name: string
  readonly weight: number
}

interface ShapePoint {
  readonly utilization: number
  readonly score: number
}

/** A node's score, prepared for a pod's requests. */
export type Strategy = (requested: ReadonlyMap<string, number>, pod: PodInfo, table: NodeTable) => (row: number) => number

const DEFAULT_RESOURCES: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

/** The `scoringStrategy` of NodeResourcesFitArgs. All sums are Kubernetes' integer arithmetic. */
export function scoringStrategy(args: unknown): Strategy {
  const {
    type = 'LeastAllocated',
    resources,
    requestedToCapacityRatio,
  } = (args ?? {}) as {
    type?: string
    resources?: readonly { name: string; weight?: number }[]
    requestedToCapacityRatio?: { shape?: readonly ShapePoint[] }
  }
  const weighted =
    resources === undefined || resources.length === 0 ? DEFAULT_RESOURCES : resources.map((r) => ({ name: r.name, weight: r.weight || 1 }))
  if (type === 'MostAllocated') return weightedMean(weighted, (used, all) => ((Math.min(used, all) * 100) / all) | 0, false)
  if (type === 'RequestedToCapacityRatio') {
    const shape = (requestedToCapacityRatio?.shape ?? []).map((p) => ({ utilization: p.utilization, score: p.score * 10 }))
    const line = brokenLine(shape)
    return weightedMean(weighted, (used, all) => line(used > all ? 100 : ((used * 100) / all) | 0), true)
  }
  return weightedMean(weighted, (used, all) => (used > all ? 0 : (((all - used) * 100) / all) | 0), false)
}

/** The mean over the resources that count; `ratio` leaves out those that score nothing, and rounds. */
function weightedMean(resources: readonly WeightedResource[], score: (used: number, all: number) => number, ratio: boolean): Strategy {
  return (requested, _pod, table) => {
    const columns = resourceColumns(resources, requested, table, false)
    const [first, second] = columns
    if (!ratio && columns.length === 2 && first && second) return pairMean(first, second, score)
    return (row) => {
      let sum = 0
      let weights = 0
      for (const column of columns) {
        const all = column.allocatable[row] ?? 0
        if (all === 0) continue
        const one = score((column.used[row] ?? 0) + column.requested, all)
        if (ratio && one <= 0) continue
        sum += one * column.weight
        weights += column.weight
      }
      if (weights === 0) return 0
      return ratio ? Math.round(sum / weights) : (sum / weights) | 0
    }
  }
}

/** The mean over two resources: the common case, without a loop. */
function pairMean(first: ResourceColumn, second: ResourceColumn, score: (used: number, all: number) => number): (row: number) => number {
  const { allocatable: allA, used: usedA, requested: requestedA, weight: weightA } = first
  const { allocatable: allB, used: usedB, requested: requestedB, weight: weightB } = second
  const weights = weightA + weightB
  return (row) => {
    const a = allA[row] ?? 0
    const b = allB[row] ?? 0
    if (a === 0) return b === 0 ? 0 : score((usedB[row] ?? 0) + requestedB, b)
    const scoreA = score((usedA[row] ?? 0) + requestedA, a)
    if (b === 0) return scoreA
    return ((scoreA * weightA + score((usedB[row] ?? 0) + requestedB, b) * weightB) / weights) | 0
  }
}

export interface ResourceColumn {
  readonly allocatable: Float64Array
  readonly used: Float64Array
  readonly requested: number
  readonly weight: number
}

/** The columns that a pod is scored by. `real`: the actual requests, without the defaults for scores. */
export function resourceColumns(
  resources: readonly WeightedResource[],
  requested: ReadonlyMap<string, number>,
  table: NodeTable,
  real: boolean,
): readonly ResourceColumn[] {
  const columns: ResourceColumn[] = []
  for (const { name, weight } of resources) {
    const amount = requested.get(name) ?? 0
    const id = table.resourceId(name)
    // An extended resource that the pod does not request does not affect its score.
    if (id === undefined || (amount === 0 && isScalarResource(name))) continue
    const allocatable = table.allocatable[id]
    const used = real ? table.used[id] : name === 'cpu' ? table.scoredCpu : name === 'memory' ? table.scoredMemory : table.used[id]
    if (allocatable !== undefined && used !== undefined) columns.push({ allocatable, used, requested: amount, weight })
  }
  return columns
}

/** A line through points, in whole numbers; level outside. */
function brokenLine(points: readonly ShapePoint[]): (x: number) => number {
  return (x) => {
    for (let i = 0; i < points.length; i++) {
      const point = points[i]
      if (point === undefined || x > point.utilization) continue
      const before = points[i - 1]
      if (before === undefined) return point.score
      return before.score + Math.trunc(((point.score - before.score) * (x - before.utilization)) / (point.utilization - before.utilization))
    }
    return points.at(-1)?.score ?? 0
  }
}
