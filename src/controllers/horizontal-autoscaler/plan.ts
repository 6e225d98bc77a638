import { parseQuantity } from '../../machinery/quantity.ts'
import type { HorizontalPodAutoscalerSpec, MetricSpec } from '../../resources/types/autoscaling.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { PlannedCondition } from './autoscaler-status.ts'
import { MetricError, type MetricProposal, type MetricScene } from './metric-proposals.ts'
import { limitByBehavior, limitPlain, type ScalingHistory, stabilise } from './scaling-history.ts'

/** The size that an autoscaler sets. */
export interface SizePlan {
  readonly replicas: number
  /** Why the size changes; empty where it does not. */
  readonly reason: string
  readonly conditions: readonly PlannedCondition[]
}

/** The joint proposal of all metrics. */
export interface MetricVerdict {
  /** Undefined: no metric could be followed. */
  readonly replicas: number | undefined
  readonly name: string
  readonly statuses: readonly (MetricProposal['status'] | { type: '' })[]
  readonly condition: PlannedCondition
  /** The failure of a metric, although others may be followed. */
  readonly fault: string | undefined
}

const KUBERNETES_TOLERANCE = 0.1

/** How far a ratio may be from 1 before an autoscaler acts. */
export const tolerances = (spec: HorizontalPodAutoscalerSpec): MetricScene['tolerance'] => ({
  up: toleranceOf(spec.behavior?.scaleUp?.tolerance),
  down: toleranceOf(spec.behavior?.scaleDown?.tolerance),
})

const toleranceOf = (quantity: string | number | undefined): number =>
  quantity === undefined ? KUBERNETES_TOLERANCE : parseQuantity(quantity).milliValue() / 1000

/** The plan for a size out of bounds, or of zero, for which metrics are not read. Pure. */
export function planWithoutMetrics(spec: HorizontalPodAutoscalerSpec, current: number): SizePlan | undefined {
  const least = spec.minReplicas ?? 1
  const most = spec.maxReplicas ?? 0
  if (current === 0 && least !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero'
    return { replicas: 0, reason: '', conditions: [{ type: 'ScalingActive', status: 'False', reason: 'ScalingDisabled', message }] }
  }
  if (current > most) return { replicas: most, reason: 'Current number of replicas above Spec.MaxReplicas', conditions: [] }
  if (current < least) return { replicas: least, reason: 'Current number of replicas below Spec.MinReplicas', conditions: [] }
  return undefined
}

/** The largest proposal counts; with one that failed the others may raise the size, never lower it. */
export function joinProposals(
  specs: readonly MetricSpec[],
  proposals: readonly (MetricProposal | MetricError)[],
  current: number,
): MetricVerdict {
  const statuses = specs.map((_, i): MetricVerdict['statuses'][number] => {
    const proposal = proposals[i]
    return proposal === undefined || proposal instanceof MetricError ? { type: '' } : proposal.status
  })
  const failed = proposals.filter((p) => p instanceof MetricError)
  let best: MetricProposal | undefined
  for (const p of proposals) {
    if (p instanceof MetricError) continue
    if (best === undefined || best.replicas === 0 || p.replicas > best.replicas) best = p
  }
  const [first] = failed
  const fault =
    first === undefined ? undefined : `invalid metrics (${failed.length} invalid out of ${specs.length}), first error is: ${first.whole}`
  if (first !== undefined && (best === undefined || best.replicas < current)) {
    const message = `the HPA was unable to compute the replica count: ${first.message}`
    return {
      replicas: undefined,
      name: '',
      statuses,
      condition: { type: 'ScalingActive', status: 'False', reason: first.reason, message },
      fault,
    }
  }
  const name = best?.name ?? ''
  const message = `the HPA was able to successfully calculate a replica count from ${name}`
  return {
    replicas: best?.replicas ?? 0,
    name,
    statuses,
    condition: { type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound', message },
    fault,
  }
}

/** The size for the proposal of the metrics: stabilized, and within the limits. */
export function planSize(
  spec: HorizontalPodAutoscalerSpec,
  current: number,
  verdict: { replicas: number; name: string },
  history: ScalingHistory,
  nowMs: number,
): SizePlan {
  const size = { current, desired: verdict.replicas, least: spec.minReplicas ?? 1, most: spec.maxReplicas ?? 0 }
  const steady = stabilise(size, spec.behavior, history, nowMs)
  const steadySize = { ...size, desired: steady.replicas }
  const limited = spec.behavior === undefined ? limitPlain(steadySize) : limitByBehavior(steadySize, spec.behavior, history, nowMs)
  const reason = size.desired > current ? `${verdict.name} above target` : 'All metrics below target'
  return {
    replicas: limited.replicas,
    reason: limited.replicas === current ? '' : reason,
    conditions: [
      { type: 'AbleToScale', status: 'True', reason: steady.reason, message: steady.message },
      {
        type: 'ScalingLimited',
        status: limited.replicas === steady.replicas ? 'False' : 'True',
        reason: limited.reason,
        message: limited.message,
      },
    ],
  }
}

/** The names of an autoscaler's pods' other autoscalers, in order. */
export function ambiguity(selector: string, pods: readonly Pod[], matching: (pod: Pod) => readonly string[]): string | undefined {
  const keys = new Set(pods.flatMap((pod) => matching(pod)))
  return keys.size > 1 ? `pods by selector ${selector} are controlled by multiple HPAs: [${[...keys].sort().join(' ')}]` : undefined
}
