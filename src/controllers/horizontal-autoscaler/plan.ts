import type { KubeObject } from '../../machinery/object.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import type { HpaSpec, MetricSpec } from '../../resources/autoscaling/hpa-types.ts'
import type { HpaCondition } from './autoscaler-status.ts'
import { MetricError, type MetricProposal, type MetricScene } from './metric-proposals.ts'
import { limitByBehavior, limitPlain, type ScalingHistory, stabilise } from './scaling-history.ts'

export type PlannedCondition = Omit<HpaCondition, 'lastTransitionTime'>

/** What an autoscaler is asked to do about the size that it found. */
export interface SizePlan {
  readonly replicas: number
  /** Why the size changes; empty where it does not. */
  readonly reason: string
  readonly conditions: readonly PlannedCondition[]
}

/** What the metrics of an autoscaler say together. */
export interface MetricVerdict {
  /** Undefined: they say nothing that could be followed. */
  readonly replicas: number | undefined
  readonly name: string
  readonly statuses: readonly (MetricProposal['status'] | { type: '' })[]
  readonly condition: PlannedCondition
  /** What is wrong, though the others may be followed. */
  readonly fault: string | undefined
}

const KUBERNETES_TOLERANCE = 0.1

/** How far a ratio may be from 1 before an autoscaler acts. */
export const tolerances = (spec: HpaSpec): MetricScene['tolerance'] => ({
  up: toleranceOf(spec.behavior?.scaleUp?.tolerance),
  down: toleranceOf(spec.behavior?.scaleDown?.tolerance),
})

const toleranceOf = (text: string | undefined): number =>
  text === undefined ? KUBERNETES_TOLERANCE : parseQuantity(text).milliValue() / 1000

/** The size is beyond what the autoscaler allows, or none at all: no metric is asked. */
export function planWithoutMetrics(spec: HpaSpec, current: number): SizePlan | undefined {
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

/** What becomes of the wish of the metrics: evened out, and within the limits. */
export function planSize(
  spec: HpaSpec,
  current: number,
  verdict: { replicas: number; name: string },
  history: ScalingHistory,
  nowMs: number,
): SizePlan {
  const wish = { current, desired: verdict.replicas, least: spec.minReplicas ?? 1, most: spec.maxReplicas ?? 0 }
  const steady = stabilise(wish, spec.behavior, history, nowMs)
  const steadyWish = { ...wish, desired: steady.replicas }
  const limited = spec.behavior === undefined ? limitPlain(steadyWish) : limitByBehavior(steadyWish, spec.behavior, history, nowMs)
  const reason = wish.desired > current ? `${verdict.name} above target` : 'All metrics below target'
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
export function ambiguity(
  selector: string,
  pods: readonly KubeObject[],
  matching: (pod: KubeObject) => readonly string[],
): string | undefined {
  const keys = new Set(pods.flatMap((pod) => matching(pod)))
  return keys.size > 1 ? `pods by selector ${selector} are controlled by multiple HPAs: [${[...keys].sort().join(' ')}]` : undefined
}
