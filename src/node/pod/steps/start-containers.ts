import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { ContainerStatus } from '../../runtime/runtime.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { startOne } from '../containers/carry-out.ts'
import { PULL_FAILURES } from '../containers/ensure-image.ts'
import type { PodStep } from './pod-step.ts'

const LATER: ReadonlySet<string> = new Set(['CrashLoopBackOff', ...PULL_FAILURES])

/** Starts what the plan names, in its order. `endedBefore`: the attempts that had ended when the plan was made. */
export async function startContainers(
  { deps, state }: PodStep,
  start: readonly ContainerRecord[],
  endedBefore: readonly ContainerStatus[],
  signal: AbortSignal,
): Promise<void> {
  const sandbox = state.runtime.sandboxes[0]
  if (sandbox?.state !== 'ready' || start.length === 0) return
  const context = {
    pod: state.resize.asAllocated(state.pod),
    sandboxId: sandbox.id,
    podIps: state.podIps,
    hostIp: deps.hostIp,
    allocatable: deps.allocatable(),
    graceMs: state.graceMs,
  }
  if (state.pod.spec.imagePullSecrets?.length) await missingPullSecrets({ deps, state })
  for (const planned of start) {
    const { name } = planned.container
    const found = state.records.find((r) => r.container.name === name) ?? planned
    if (found.state.kind === 'running') continue
    const resources = state.resize.allocated(name)
    const record = resources === undefined ? found : { ...found, container: { ...found.container, resources } }
    const ended = endedBefore.find((c) => c.name === name)
    const before = state.memory.failures.get(name)
    state.wakeAt(await startOne(deps, state.memory, { record, ended, context }, signal))
    const after = state.memory.failures.get(name)
    // What went wrong is told at once; that it goes wrong in the same way again is not news. That it has to wait, or that its image could
    // not be had, is told at the next look, as by the kubelet: of a pod that is new that is at once, since its sandbox is news.
    if (after !== undefined && !LATER.has(after.reason) && after.message !== before?.message) state.again()
  }
}

/** A pull goes on without the secrets that are missing, and is likely to fail: that is said. */
async function missingPullSecrets({ deps, state }: Pick<PodStep, 'deps' | 'state'>): Promise<void> {
  const { pod } = state
  const names = (pod.spec.imagePullSecrets ?? []).flatMap((s) => s.name ?? [])
  const missing: string[] = []
  for (const name of names) if ((await deps.references.secret(pod.metadata.namespace ?? '', name)) === undefined) missing.push(name)
  if (missing.length === 0) return
  const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`
  deps.events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message })
}
