import { Signal } from '../../../base/signal.ts'
import type { EventRecorder } from '../../../sdk/controller/event-recorder.ts'
import { ignoringCode } from '../../runtime/runtime-error.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import type { Pod } from '../../types/pod.ts'
import { containerNotes } from '../report/notes.ts'
import { type HookDeps, runHook } from './run-hook.ts'

export interface StopperDeps extends HookDeps {
  readonly events: EventRecorder
}

export interface StopRequest {
  readonly pod: Pod
  readonly record: ContainerRecord
  /** The event's message. */
  readonly message: string
  readonly graceMs: number
  readonly podIp: string
  /**
   * Resolves when the containers that have to stop first have stopped; never rejects. The container is stopped at the end of the grace
   * period in any case. Default: no waiting.
   */
  readonly turn?: Promise<void>
}

/** The minimum grace period of a container. */
const LEAST_GRACE_MS = 2000

/**
 * Runs the preStop hook, waits for its turn, then stops the container, all within the grace period, in whole seconds. Throws the runtime's
 * error.
 */
export async function stopContainer(deps: StopperDeps, request: StopRequest, signal: AbortSignal): Promise<void> {
  const { pod, record, message, podIp, turn } = request
  const { state, container, role } = record
  const id = state.kind === 'running' ? state.id : record.current?.id
  if (id === undefined) return
  const note = containerNotes(deps.events, pod, container, role)
  note('Normal', 'Killing', message)
  let leftMs = request.graceMs
  const timed = async (work: () => Promise<void>): Promise<void> => {
    const begunMs = deps.clock.monotonic()
    await work()
    leftMs -= Math.floor((deps.clock.monotonic() - begunMs) / 1000) * 1000
  }
  const hook = container.lifecycle?.preStop
  const over = new AbortController()
  let hooked: Promise<void> | undefined
  if (hook !== undefined && leftMs > 0) {
    const target = { pod, container, containerId: id, podIp }
    hooked = runHook(deps, hook, target, AbortSignal.any([signal, over.signal])).catch(() => {
      // An interrupted sleep counts as success.
      if (!signal.aborted && hook.sleep === undefined) note('Warning', 'FailedPreStopHook', 'PreStopHook failed')
    })
    const running = hooked
    await timed(() => within(deps, leftMs, signal, running))
  }
  if (turn !== undefined && leftMs > 0) await timed(() => within(deps, leftMs, signal, turn))
  try {
    await deps.runtime.stopContainer(id, Math.max(leftMs, LEAST_GRACE_MS), signal).catch(ignoringCode('not-found'))
  } finally {
    // A hook that outlives the grace period ends with its container.
    over.abort(new Error('the container has ended'))
    await hooked
  }
}

/** Waits for a promise that never rejects, up to a time limit. */
async function within({ clock }: Pick<HookDeps, 'clock'>, limitMs: number, signal: AbortSignal, work: Promise<void>): Promise<void> {
  const ended = new Signal()
  void work.then(() => ended.raise())
  await ended.wait({ clock, untilMs: clock.now() + limitMs, signal })
  signal.throwIfAborted()
}
