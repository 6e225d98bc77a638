import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import { missingVolumes } from '../spec/missing-volume.ts'
import type { PodStep } from './pod-step.ts'

/** The retry delays of volumes that could not be set up, as the kubelet's. */
const MOUNT_RETRY = { firstMs: 500, maxMs: 122_000 } as const

/** How long the kubelet waits for a pod's volumes before it looks at the pod again. */
const MOUNT_WAIT_MS = 123_000

/** Whether the pod's volumes are set up; always true once it has a sandbox. */
export async function volumesReady({ deps, state }: PodStep): Promise<boolean> {
  const faults = await missingVolumes(state.pod, deps.references, deps.host)
  if (faults.length === 0) {
    state.mountWaitUntilMs = undefined
    return true
  }
  const nowMs = deps.clock.now()
  if (nowMs >= (state.mountWaitUntilMs ?? 0)) state.mountWaitUntilMs = nowMs + MOUNT_WAIT_MS
  for (const message of faults) deps.events.record({ regarding: referenceTo(state.pod), type: 'Warning', reason: 'FailedMount', message })
  const waitMs = state.mountRetryMs ?? MOUNT_RETRY.firstMs
  state.wakeAt(nowMs + waitMs)
  state.mountRetryMs = Math.min(waitMs * 2, MOUNT_RETRY.maxMs)
  return false
}
