import type { ContainerRecord } from '../../types/container-record.ts'
import { RESTARTING_ALL } from '../plan/restart-policy.ts'
import { containerNotes } from '../report/notes.ts'
import type { PodStep } from './pod-step.ts'

/** A container's rule restarts all containers (KEP-5532): they are stopped and removed; the init containers run again. */
export async function restartAll({ deps, state, report }: PodStep, signal: AbortSignal): Promise<void> {
  const { runtime, events } = deps
  for (const r of state.records) {
    if (r.state.kind !== 'running') continue
    containerNotes(events, state.pod, r.container, r.role)('Normal', 'Killing', 'killing')
    await runtime.stopContainer(r.state.id, 2000, signal)
  }
  // Containers that had to be stopped are removed first; the others still exist when the restart is reported.
  const stopped = new Set(state.records.flatMap((r) => (r.state.kind === 'running' ? [r.state.id] : [])))
  for (const id of stopped) await runtime.removeContainer(id, signal)
  const message = 'The container is removed because RestartAllContainers in place'
  const reason = RESTARTING_ALL
  state.records = state.records.map((r): ContainerRecord => {
    // A container that never ran is unchanged.
    if (r.current === undefined && r.state.kind === 'waiting' && r.last === undefined) return r
    const { current, image, ...rest } = r
    const left = current !== undefined && !stopped.has(current.id)
    if (r.state.kind === 'waiting') {
      // What a container waits for stays in its status. An attempt that could not be started has left no log, and is not counted.
      state.memory.attempts.set(r.container.name, r.restartCount + (r.state.reason === 'RunContainerError' ? 0 : 1))
      return r
    }
    const last = { kind: 'terminated', id: '', exitCode: 137, reason, message, startedAtMs: undefined, finishedAtMs: undefined } as const
    state.memory.attempts.set(r.container.name, r.restartCount + 1)
    return {
      ...rest,
      ...(left && { current, ...(image && { image }) }),
      state: { kind: 'waiting', reason, message },
      last,
      restartCount: r.restartCount + 1,
      started: false,
      ready: r.role === 'init' && r.ready,
    }
  })
  await report()
  for (const c of state.runtime.containers) if (!stopped.has(c.id)) await runtime.removeContainer(c.id, signal)
  state.records = state.records.map(({ current: _, image: __, ...rest }): ContainerRecord => rest)
  state.again()
}
