import { requestsOf } from '../cache/amounts.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { type ResourceColumn, resourceColumns } from './scoring-strategy.ts'

/** Prefers nodes whose resources would be used in more equal proportions with the pod. */
export const nodeResourcesBalancedAllocation: PluginFactory = (args) => {
  const given = args.resources as readonly { name: string; weight?: number }[] | undefined
  const resources = (given ?? [{ name: 'cpu' }, { name: 'memory' }]).map((r) => ({ name: r.name, weight: r.weight ?? 1 }))
  return {
    name: 'NodeResourcesBalancedAllocation',
    scope: 'node',
    score(pod, { table }) {
      const requested = requestsOf(pod.pod)
      if (resources.every((r) => (requested.get(r.name) ?? 0) === 0)) return undefined
      const columns = resourceColumns(resources, requested, table, true)
      const [first, second] = columns
      if (columns.length === 2 && first && second) return { of: pairScore(first, second) }
      const balance = manyBalance(columns)
      return { of: (row) => score(balance(row, true), balance(row, false)) }
    },
  }
}

/** 75 where the pod changes nothing, more where it balances, less where it tilts. */
const score = (after: number, before: number) => 50 + (((50 + after - before) / 2) | 0)

/** Cpu and memory, the common case, without a loop. */
function pairScore(first: ResourceColumn, second: ResourceColumn): (row: number) => number {
  const { allocatable: allA, used: usedA, requested: requestedA } = first
  const { allocatable: allB, used: usedB, requested: requestedB } = second
  return (row) => {
    const a = allA[row] ?? 0
    const b = allB[row] ?? 0
    if (a === 0 || b === 0) return score(100, 100)
    const ua = usedA[row] ?? 0
    const ub = usedB[row] ?? 0
    const before = Math.min(1, ua / a) - Math.min(1, ub / b)
    const after = Math.min(1, (ua + requestedA) / a) - Math.min(1, (ub + requestedB) / b)
    return score(((1 - Math.abs(after) / 2) * 100) | 0, ((1 - Math.abs(before) / 2) * 100) | 0)
  }
}

/** 100 where all resources are used in equal parts, less the further they spread. */
function manyBalance(columns: readonly ResourceColumn[]): (row: number, withPod: boolean) => number {
  const shares = new Float64Array(columns.length)
  return (row, withPod) => {
    let n = 0
    let sum = 0
    for (const column of columns) {
      const all = column.allocatable[row] ?? 0
      if (all === 0) continue
      const share = Math.min(1, ((column.used[row] ?? 0) + (withPod ? column.requested : 0)) / all)
      shares[n++] = share
      sum += share
    }
    if (n < 2) return 100
    if (n === 2) return ((1 - Math.abs((shares[0] ?? 0) - (shares[1] ?? 0)) / 2) * 100) | 0
    const mean = sum / n
    let squares = 0
    for (let i = 0; i < n; i++) squares += ((shares[i] ?? 0) - mean) ** 2
    return ((1 - Math.sqrt(squares / n)) * 100) | 0
  }
}
