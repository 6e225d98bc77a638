import { parseGoDuration, showGoDuration } from '../../machinery/go/go-duration.ts'

/** The shutdown grace period of pods from this priority up to that of the next entry. */
export interface ShutdownPeriod {
  readonly priority: number
  readonly seconds: number
}

/** The shutdown fields of a `KubeletConfiguration`. */
export interface WrittenShutdown {
  readonly shutdownGracePeriod?: string
  readonly shutdownGracePeriodCriticalPods?: string
  readonly shutdownGracePeriodByPodPriority?: readonly { readonly priority?: number; readonly shutdownGracePeriodSeconds?: number }[]
}

/** The priority of `system-cluster-critical`. */
const CRITICAL_PRIORITY = 2_000_000_000

/**
 * Used when no grace period is configured. A real kubelet would then not handle the shutdown at all, which is useless for a simulated one.
 */
export const DEFAULT_PERIODS: readonly ShutdownPeriod[] = [
  { priority: 0, seconds: 20 },
  { priority: CRITICAL_PRIORITY, seconds: 10 },
]

/** In ascending order of priority, with the kubelet's defaults. Undefined: nothing is configured. */
export function shutdownPeriods(written: WrittenShutdown): readonly ShutdownPeriod[] | undefined {
  const listed = (written.shutdownGracePeriodByPodPriority ?? []).map(({ priority = 0, shutdownGracePeriodSeconds: seconds = 0 }) => ({
    priority,
    seconds,
  }))
  if (listed.length > 0) return listed.sort((a, b) => a.priority - b.priority)
  const { all, critical } = durations(written)
  if (all === 0) return undefined
  return [
    { priority: 0, seconds: Math.trunc((all - critical) / 1000) },
    { priority: CRITICAL_PRIORITY, seconds: Math.trunc(critical / 1000) },
  ]
}

/** The kubelet's validation messages. */
export function* shutdownFaults(written: WrittenShutdown): Iterable<string> {
  const { all, critical } = durations(written)
  const [period, criticalPeriod] = [showGoDuration(all), showGoDuration(critical)]
  if (critical > all)
    yield `invalid configuration: shutdownGracePeriodCriticalPods ${criticalPeriod} must be <= shutdownGracePeriod ${period}`
  if (all < 0 || (all > 0 && all < 1000))
    yield `invalid configuration: shutdownGracePeriod ${period} must be either zero or otherwise >= 1 sec`
  if (critical < 0 || (critical > 0 && critical < 1000))
    yield `invalid configuration: shutdownGracePeriodCriticalPods ${criticalPeriod} must be either zero or otherwise >= 1 sec`
  if ((written.shutdownGracePeriodByPodPriority ?? []).length > 0 && (all > 0 || critical > 0))
    yield 'invalid configuration: Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time'
}

function durations({ shutdownGracePeriod = '', shutdownGracePeriodCriticalPods = '' }: WrittenShutdown) {
  return { all: parseGoDuration(shutdownGracePeriod) ?? 0, critical: parseGoDuration(shutdownGracePeriodCriticalPods) ?? 0 }
}
