import { timestamp } from '../../base/clock.ts'
import type { Pod, PodCondition } from '../../resources/types/core.ts'

export const DISRUPTION_TARGET = 'DisruptionTarget'

/** The condition of a pod that a controller is about to delete. */
export const disruptionTarget = (
  { metadata: { generation } }: Pod,
  why: { readonly reason: string; readonly message: string },
  nowMs: number,
): PodCondition => ({
  type: DISRUPTION_TARGET,
  status: 'True',
  ...why,
  lastTransitionTime: timestamp(nowMs),
  ...(generation !== undefined && { observedGeneration: generation }),
})
