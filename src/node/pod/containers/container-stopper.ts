import type { EventRecorder } from '../../../sdk/controller/event-recorder.ts'
import { RuntimeError } from '../../runtime/runtime.ts'
import type { ContainerRecord } from '../plan/container-record.ts'
import type { Pod } from '../pod-types.ts'
import { containerNotes } from '../report/notes.ts'
import { type HookDeps, runHook } from './run-hook.ts'

export interface StopperDeps extends HookDeps {
  readonly events: EventRecorder
}

export interface StopRequest {
  readonly pod: Pod
  readonly record: ContainerRecord
  /** As the event says it. */
  readonly message: string
  readonly graceMs: number
  readonly podIp: string
}

/** However little grace there is, a container has these two seconds to end by itself. */
const LEAST_GRACE_MS = 2000

/** Runs the preStop hook, then stops the container; hook and stop share the grace. Throws what the runtime says against it. */
export async function stopContainer(deps: StopperDeps, request: StopRequest, signal: AbortSignal): Promise<void> {
  const { pod, record, message, podIp } = request
  const { state, container, role } = record
  const id = state.kind === 'running' ? state.id : record.current?.id
  if (id === undefined) return
  const note = containerNotes(deps.events, pod, container, role)
  note('Normal', 'Killing', message)
  let leftMs = Math.max(request.graceMs, LEAST_GRACE_MS)
  const hook = container.lifecycle?.preStop
  if (hook !== undefined) {
    const begunMs = deps.clock.monotonic()
    const target = { pod, container, containerId: id, podIp }
    const ended = await withLimit(deps, leftMs, signal, (limited) => runHook(deps, hook, target, limited))
    // A sleep that the grace cuts short has done its part.
    if (ended !== undefined && hook.sleep === undefined) note('Warning', 'FailedPreStopHook', 'PreStopHook failed')
    leftMs -= deps.clock.monotonic() - begunMs
  }
  try {
    await deps.runtime.stopContainer(id, Math.max(leftMs, LEAST_GRACE_MS), signal)
  } catch (error) {
    if (!(error instanceof RuntimeError && error.code === 'not-found')) throw error
  }
}

/** Undefined when the work ended well in time; else why not. Rejects only when the outer signal is aborted. */
async function withLimit(
  { clock }: Pick<HookDeps, 'clock'>,
  limitMs: number,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<void>,
): Promise<unknown> {
  const limit = new AbortController()
  const cancel = clock.after(limitMs, () => limit.abort(new Error('the grace period is over')))
  try {
    await work(AbortSignal.any([signal, limit.signal]))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return error
  } finally {
    cancel()
  }
}
