import type { ContainerRecord } from '../plan/container-record.ts'
import { containerNotes } from '../report/notes.ts'
import type { PodStep } from './pod-step.ts'

/** A container's rule wants all of them to begin anew (KEP-5532): they are stopped and removed; the init containers run again. */
export async function restartAll({ deps, state, report }: PodStep, signal: AbortSignal): Promise<void> {
  const { runtime, events } = deps
  for (const r of state.records) {
    if (r.state.kind !== 'running') continue
    containerNotes(events, state.pod, r.container, r.role)('Normal', 'Killing', 'killing')
    await runtime.stopContainer(r.state.id, 2000, signal)
  }
  for (const c of state.runtime.containers) await runtime.removeContainer(c.id, signal)
  const message = 'The container is removed because RestartAllContainers in place'
  const reason = 'RestartingAllContainers'
  state.records = state.records.map((r): ContainerRecord => {
    const { current: _, ...rest } = r
    const last = { kind: 'terminated', id: '', exitCode: 137, reason, message, startedAtMs: undefined, finishedAtMs: undefined } as const
    state.memory.attempts.set(r.container.name, r.restartCount + 1)
    return { ...rest, state: { kind: 'waiting', reason, message }, last, restartCount: r.restartCount + 1, started: false, ready: false }
  })
  await report()
  state.again()
}
