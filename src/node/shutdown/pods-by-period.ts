import type { Pod } from '../types/pod.ts'
import type { ShutdownPeriod } from './shutdown-periods.ts'

/** The pods that end in one period. */
export interface ShutdownGroup {
  readonly seconds: number
  readonly pods: readonly Pod[]
}

/**
 * Assigns each pod to the last period whose priority is not above its own; pods below all periods get the first. Periods are in ascending
 * order. Periods without pods are omitted.
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
