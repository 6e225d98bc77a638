import type { HorizontalPodAutoscaler } from '../../resources/types/autoscaling.ts'
import type { Diagnosis } from './finding.ts'

/** Why an autoscaler does not scale. */
export function diagnoseAutoscaler({ spec, status }: HorizontalPodAutoscaler): Diagnosis {
  const { currentReplicas = 0, desiredReplicas = 0, conditions } = status ?? {}
  const target = spec === undefined ? 'nothing' : `${spec.scaleTargetRef.kind} ${spec.scaleTargetRef.name}`
  const summary = `${target} has ${currentReplicas} replicas, wanted are ${desiredReplicas} of ${spec?.minReplicas ?? 1} to ${spec?.maxReplicas}`
  if (conditions === undefined) return { summary, findings: [{ message: 'no controller has looked at it yet' }] }
  const bad = conditions.filter(({ type, status: is }) => (type === 'ScalingLimited' ? is === 'True' : is !== 'True'))
  return { summary, findings: bad.map(({ type, reason = type, message = '' }) => ({ message: `${reason}: ${message}` })) }
}
