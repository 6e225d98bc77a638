import type { PluginFactory } from '../framework/plugin.ts'
import { podRequests } from '../framework/pod-requests.ts'
import { type ResourceColumn, resourceColumns } from './scoring-strategy.ts'

/** Prefers nodes whose resources the pod brings closer to being used in equal parts. */
export const nodeResourcesBalancedAllocation: PluginFactory = (args) => {
  const given = args.resources as readonly { name: string; weight?: number }[] | undefined
  const resources = (given ?? [{ name: 'cpu' }, { name: 'memory' }]).map((r) => ({ name: r.name, weight: r.weight ?? 1 }))
  return {
    name: 'NodeResourcesBalancedAllocation',
    scope: 'node',
    score(pod, { table }) {
      const asked = podRequests(pod.pod)
      if (resources.every((r) => (asked.get(r.name) ?? 0) === 0)) return undefined
      const columns = resourceColumns(resources, asked, table, true)
      const [first, second] = columns
      const balance = columns.length === 2 && first && second ? pairBalance(first, second) : manyBalance(columns)
      // 75 where the pod changes nothing, more where it balances, less where it tilts.
      return { of: (row) => 50 + (((50 + balance(row, true) - balance(row, false)) / 2) | 0) }
    },
  }
}

type Balance = (row: number, withPod: boolean) => number

/** 100 where all resources are used in equal parts, less the further they spread. */
function pairBalance(a: ResourceColumn, b: ResourceColumn): Balance {
  const { allocatable: allA, used: usedA, asked: askedA } = a
  const { allocatable: allB, used: usedB, asked: askedB } = b
  return (row, withPod) => {
    const [a, b] = [allA[row] ?? 0, allB[row] ?? 0]
    if (a === 0 || b === 0) return 100
    const shareA = Math.min(1, ((usedA[row] ?? 0) + (withPod ? askedA : 0)) / a)
    const shareB = Math.min(1, ((usedB[row] ?? 0) + (withPod ? askedB : 0)) / b)
    return ((1 - Math.abs(shareA - shareB) / 2) * 100) | 0
  }
}

function manyBalance(columns: readonly ResourceColumn[]): Balance {
  const shares = new Float64Array(columns.length)
  return (row, withPod) => {
    let n = 0
    let sum = 0
    for (const column of columns) {
      const all = column.allocatable[row] ?? 0
      if (all === 0) continue
      const share = Math.min(1, ((column.used[row] ?? 0) + (withPod ? column.asked : 0)) / all)
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
