import type { StatefulSetStatus } from '../../resources/types/apps.ts'
import { isAvailable, isReady, isTerminating, withoutZeros } from '../pods/pod-state.ts'
import { ordinalOf } from './ordinals.ts'
import { revisionOf, type StatefulSetView } from './plan.ts'

/** The status of a set with these pods. Pure. */
export function statefulSetStatus({ set, pods, current, update }: StatefulSetView, nowMs: number): StatefulSetStatus {
  // A finished pod counts until it is deleted.
  const created = pods.filter((p) => ordinalOf(set, p) >= 0)
  const ready = created.filter((p) => p.status?.phase === 'Running' && isReady(p))
  const fresh = (revision: string) => created.filter((p) => !isTerminating(p) && revisionOf(p) === revision).length
  const updated = fresh(update)
  const replicas = set.spec.replicas ?? 1
  const whole = [created.length, updated, ready.length].every((count) => count === replicas)
  const complete = set.spec.updateStrategy?.type !== 'OnDelete' && current !== update && whole
  return {
    ...withoutZeros({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready.length,
      currentReplicas: complete ? updated : fresh(current),
      updatedReplicas: updated,
      conditions: set.status?.conditions,
    }),
    replicas: created.length,
    availableReplicas: created.filter((p) => isAvailable(p, set.spec.minReadySeconds ?? 0, nowMs)).length,
    currentRevision: complete ? update : current,
    updateRevision: update,
    collisionCount: set.status?.collisionCount ?? 0,
  }
}
