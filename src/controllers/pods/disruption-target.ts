import { timestamp } from '../../base/clock.ts'
import type { Pod, PodCondition } from '../../resources/types/core.ts'
import { conditionOf } from './pod-state.ts'

export const DISRUPTION_TARGET = 'DisruptionTarget'

/** Why a controller deletes a pod. */
interface Disruption {
  readonly reason: string
  readonly message: string
}

const present = (pod: Pod) => {
  const condition = conditionOf(pod, DISRUPTION_TARGET)
  return condition?.status === 'True' ? condition : undefined
}

/** Whether the pod has the condition for this reason already: it is not written again. */
export function isMarked(pod: Pod, { reason, message }: Disruption): boolean {
  const condition = present(pod)
  return condition?.reason === reason && condition.message === message
}

/** The condition of a pod that a controller is about to delete. */
export const disruptionTarget = (pod: Pod, why: Disruption, nowMs: number): PodCondition => ({
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: why.reason,
  message: why.message,
  lastTransitionTime: present(pod)?.lastTransitionTime ?? timestamp(nowMs),
  ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
})
