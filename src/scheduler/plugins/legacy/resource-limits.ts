import { sumOfPod } from '../../../resources/pod/pod-requests.ts'
import { amountOf } from '../../cache/amounts.ts'
import type { Plugin } from '../../framework/plugin.ts'

const NUMBERS = { read: amountOf, add: (a: number, b: number) => a + b, larger: Math.max }

/** ResourceLimitsPriority: of equal nodes, those that could give the pod all that its limits allow. */
export function resourceLimits(name: string): Plugin {
  return {
    name,
    scope: 'cluster',
    score(pod, { table }) {
      const limits = sumOfPod(NUMBERS, pod.pod.spec, 'limits', { status: undefined, missing: undefined })
      const wanted = ['cpu', 'memory'].flatMap((resource) => {
        const limit = limits.get(resource) ?? 0
        const id = table.resourceId(resource)
        return limit === 0 || id === undefined ? [] : [{ limit, allocatable: table.allocatable[id] }]
      })
      if (wanted.length === 0) return undefined
      return { of: (row) => (wanted.some(({ limit, allocatable }) => limit <= (allocatable?.[row] ?? 0)) ? 1 : 0) }
    },
  }
}
