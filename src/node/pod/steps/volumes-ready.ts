import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import { missingVolumes } from '../spec/missing-volume.ts'
import type { PodStep } from './pod-step.ts'

/** The retry delays of volumes that could not be set up, as the kubelet's. */
const MOUNT_RETRY = { firstMs: 500, maxMs: 122_000 } as const

/** Whether the pod's volumes are set up; always true once it has a sandbox. */
export async function volumesReady({ deps, state }: PodStep): Promise<boolean> {
  const faults = await missingVolumes(state.pod, deps.references, deps.host)
  if (faults.length === 0) return true
  for (const message of faults) deps.events.record({ regarding: referenceTo(state.pod), type: 'Warning', reason: 'FailedMount', message })
  const waitMs = state.mountRetryMs ?? MOUNT_RETRY.firstMs
  state.wakeAt(deps.clock.now() + waitMs)
  state.mountRetryMs = Math.min(waitMs * 2, MOUNT_RETRY.maxMs)
  return false
}
