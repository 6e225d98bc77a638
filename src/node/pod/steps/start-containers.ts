import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { ContainerStatus } from '../../runtime/runtime.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { startOne } from '../containers/carry-out.ts'
import { volumeImages } from '../containers/volume-images.ts'
import { type PodStep, RELIST_MS } from './pod-step.ts'

/** The container exists, so that the next listing shows it. */
const CREATED: ReadonlySet<string> = new Set(['RunContainerError', 'PostStartHookError'])
/** What is known since an earlier step. */
const BACK_OFFS: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'ImagePullBackOff'])

const hasJustStarted = (records: readonly ContainerRecord[], nowMs: number) =>
  records.some(({ state }) => state.kind !== 'waiting' && nowMs - (state.startedAtMs ?? 0) < RELIST_MS)

/** Starts the containers of the plan, in its order. `endedBefore`: the attempts that had ended when the plan was made. */
export async function startContainers(
  { deps, state }: PodStep,
  start: readonly ContainerRecord[],
  endedBefore: readonly ContainerStatus[],
  signal: AbortSignal,
): Promise<void> {
  const sandbox = state.runtime.sandboxes[0]
  if (sandbox?.state !== 'ready') return
  const images = await volumeImages(deps, state.pod, signal)
  if (start.length === 0) return
  const begunMs = deps.clock.now()
  const context = {
    pod: state.resize.asAllocated(state.pod),
    sandbox,
    podIps: state.podIps,
    hostIp: deps.hostIps[0] ?? '',
    allocatable: deps.allocatable(),
    volumeImages: images,
    seen: state.runtime.containers.map(({ name }) => name),
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
    // As in the kubelet, a new failure is reported at the next step: at once if the container exists, or the sandbox is new; soon if
    // another container has started.
    if (after === undefined || after.message === before?.message) continue
    if (CREATED.has(after.reason)) state.again()
    else if (!BACK_OFFS.has(after.reason) && hasJustStarted(state.records, begunMs)) state.wakeAt(deps.clock.now() + RELIST_MS)
  }
}

/** Records an event for missing pull secrets; the pull is tried without them. */
async function missingPullSecrets({ deps, state }: Pick<PodStep, 'deps' | 'state'>): Promise<void> {
  const { pod } = state
  const names = (pod.spec.imagePullSecrets ?? []).flatMap((s) => s.name ?? [])
  const missing: string[] = []
  for (const name of names) if ((await deps.references.secret(pod.metadata.namespace ?? '', name)) === undefined) missing.push(name)
  if (missing.length === 0) return
  const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`
  deps.events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message })
}
