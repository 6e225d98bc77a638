import type { PluginFactory } from '../framework/plugin.ts'
import { podRequests } from '../framework/pod-requests.ts'
import { resourceColumns } from './scoring-strategy.ts'

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
      const shares = new Float64Array(columns.length)
      const balance = (row: number, withPod: boolean): number => {
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
        if (n === 2) return Math.trunc((1 - Math.abs((shares[0] ?? 0) - (shares[1] ?? 0)) / 2) * 100)
        const mean = sum / n
        let squares = 0
        for (let i = 0; i < n; i++) squares += ((shares[i] ?? 0) - mean) ** 2
        return Math.trunc((1 - Math.sqrt(squares / n)) * 100)
      }
      // 75 where the pod changes nothing, more where it balances, less where it tilts.
      return { of: (row) => 50 + Math.trunc((50 + balance(row, true) - balance(row, false)) / 2) }
    },
  }
}
