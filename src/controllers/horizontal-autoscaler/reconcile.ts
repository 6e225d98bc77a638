import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { HorizontalPodAutoscaler, MetricSpec } from '../../resources/types/autoscaling.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import type { AutoscalerMetrics } from './autoscaler-metrics.ts'
import { MetricError, type MetricProposal, type MetricScene, propose } from './metric-proposals.ts'
import type { MetricsSource } from './metrics-source.ts'
import { Pass, PassEnded } from './pass.ts'
import { ambiguity, joinProposals, planSize, planWithoutMetrics, type SizePlan, tolerances } from './plan.ts'
import { ScalingHistory } from './scaling-history.ts'
import type { SelectorIndex } from './selector-index.ts'
import { readScale, type ScaleDeps, type TargetScale } from './target-scale.ts'

/**
 * How often each autoscaler looks, and how long a new one waits. As kube-controller-manager's `--horizontal-pod-autoscaler-sync-period`.
 */
export const PERIOD_MS = 15_000

/** What an autoscaler is reconciled with. */
export interface AutoscalerDeps extends ScaleDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly source: MetricsSource
  readonly counts: AutoscalerMetrics
  /** By the autoscaler's key. */
  readonly histories: Map<string, ScalingHistory>
  readonly selectors: SelectorIndex
}

export async function reconcileAutoscaler(deps: AutoscalerDeps, hpa: HorizontalPodAutoscaler): Promise<{ requeueAfterMs: number }> {
  const pass = new Pass(hpa, deps)
  const { clock, counts } = deps
  const begun = clock.monotonic()
  let followed = false
  try {
    followed = await scale(deps, pass)
  } catch (error) {
    if (!(error instanceof PassEnded)) throw error
    deps.log.debug('a pass over an autoscaler ended early', { autoscaler: objectKey(hpa), reason: error.message })
  } finally {
    counts.reconciled(pass.action, followed, (clock.monotonic() - begun) / 1000)
  }
  await pass.write(deps.client)
  return { requeueAfterMs: PERIOD_MS }
}

/** False if no metric could be followed. */
async function scale(deps: AutoscalerDeps, pass: Pass): Promise<boolean> {
  const { clock, histories } = deps
  const { spec } = pass.hpa
  const target = await readScale(deps, pass)
  const message = "the HPA controller was able to get the target's current scale"
  pass.set({ type: 'AbleToScale', status: 'True', reason: 'SucceededGetScale', message })
  const current = target.scale.spec?.replicas ?? 0
  const key = objectKey(pass.hpa)
  const history = histories.get(key) ?? new ScalingHistory(current, clock.now())
  histories.set(key, history)
  const bounded = planWithoutMetrics(spec, current)
  const plan = bounded ?? (await planByMetrics(deps, pass, target, history))
  if (plan === undefined) return false
  for (const condition of plan.conditions) pass.set(condition)
  if (plan.reason === '') {
    pass.observe({ currentReplicas: current, desiredReplicas: current })
    return true
  }
  await resize(deps, pass, target, plan)
  if (pass.scaled) history.changed(plan.replicas - current, clock.now())
  return true
}

/** Undefined if no metric could be followed. */
async function planByMetrics(
  deps: AutoscalerDeps,
  pass: Pass,
  target: TargetScale,
  history: ScalingHistory,
): Promise<SizePlan | undefined> {
  const { source, clock } = deps
  const { spec, metadata } = pass.hpa
  const current = target.scale.spec?.replicas ?? 0
  const scene = {
    namespace: metadata.namespace ?? '',
    ...selectedPods(deps, pass, target),
    specReplicas: current,
    statusReplicas: target.scale.status?.replicas ?? 0,
    tolerance: tolerances(spec),
    nowMs: clock.now(),
  }
  const specs = spec.metrics ?? []
  const proposals = await Promise.all(
    specs.map(async (metric) => {
      const begun = clock.monotonic()
      const found = await proposal(metric, scene, source)
      const replicas = found instanceof MetricError ? undefined : found.replicas
      deps.counts.computed(metric.type ?? '', { replicas, current, seconds: (clock.monotonic() - begun) / 1000 })
      return found
    }),
  )
  for (const p of proposals) if (p instanceof MetricError) pass.warn(p.reason, p.message)
  const verdict = joinProposals(specs, proposals, current)
  pass.metrics = [...verdict.statuses]
  pass.set(verdict.condition)
  if (verdict.replicas !== undefined)
    return planSize(spec, current, { replicas: verdict.replicas, name: verdict.name }, history, scene.nowMs)
  pass.observe({ currentReplicas: current })
  pass.warn('FailedComputeMetricsReplicas', verdict.fault ?? '')
  return undefined
}

const proposal = (metric: MetricSpec, scene: MetricScene, source: MetricsSource): Promise<MetricProposal | MetricError> =>
  propose(metric, scene, source).catch((error: unknown) => {
    if (error instanceof MetricError) return error
    throw error
  })

async function resize({ client }: AutoscalerDeps, pass: Pass, { ref, scale: before }: TargetScale, plan: SizePlan): Promise<void> {
  const { replicas, reason } = plan
  const currentReplicas = before.spec?.replicas ?? 0
  const { namespace = '' } = pass.hpa.metadata
  const target = { ...ref, namespace, name: before.metadata.name ?? '', subresource: 'scale' }
  try {
    await client.update(target, { ...before, spec: { ...before.spec, replicas } })
  } catch (error) {
    if (!isStatus(error)) throw error
    pass.warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error.message}`)
    const message = `the HPA controller was unable to update the target scale: ${error.message}`
    pass.set({ type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale', message })
    return pass.observe({ currentReplicas })
  }
  const message = `the HPA controller was able to update the target scale to ${replicas}`
  pass.set({ type: 'AbleToScale', status: 'True', reason: 'SucceededRescale', message })
  pass.report('SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`)
  pass.observe({ currentReplicas, desiredReplicas: replicas, scaled: true })
}

/**
 * The pods that the target's scale selects.
 * @throws {PassEnded} without a selector, or if another autoscaler selects them too
 */
function selectedPods({ pods, selectors }: AutoscalerDeps, pass: Pass, { scale: target, selector }: TargetScale) {
  const { namespace = '' } = pass.hpa.metadata
  const inactive = (reason: string, message: string, conditionReason = reason, conditionMessage = message) => {
    pass.warn(reason, conditionMessage)
    pass.set({ type: 'ScalingActive', status: 'False', reason: conditionReason, message })
    pass.observe({ currentReplicas: target.spec?.replicas ?? 0 })
    pass.warn('FailedComputeMetricsReplicas', conditionMessage)
    return new PassEnded(conditionMessage)
  }
  if (selector === undefined)
    throw inactive('SelectorRequired', "the HPA target's scale is missing a selector", 'InvalidSelector', 'selector is required')
  selectors.set(objectKey(pass.hpa), namespace, selector)
  const text = target.status?.selector ?? ''
  const found = pods.list(namespace).filter((pod) => selector.matches(pod.metadata.labels))
  const problem = ambiguity(text, found, (pod) => selectors.matching(pod))
  if (problem !== undefined) throw inactive('AmbiguousSelector', problem)
  return { selector: text, pods: found }
}
