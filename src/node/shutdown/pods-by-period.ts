import type { Pod } from '../types/pod.ts'
import type { ShutdownPeriod } from './shutdown-periods.ts'

/** Who ends in one period. */
export interface ShutdownGroup {
  readonly seconds: number
  readonly pods: readonly Pod[]
}

/**
 * A pod goes in the last period that begins at its priority or below; who is below all of them, in the first. Periods ascend. Those
 * without pods are left out.
 */
export function podsByPeriod(periods: readonly ShutdownPeriod[], pods: readonly Pod[]): readonly ShutdownGroup[] {
  const groups = periods.map(({ seconds }) => ({ seconds, pods: [] as Pod[] }))
  for (const pod of pods) {
    const { priority = 0 } = pod.spec
    const at = periods.findLastIndex((period) => period.priority <= priority)
    groups[Math.max(at, 0)]?.pods.push(pod)
  }
  return groups.filter((group) => group.pods.length > 0)
}
