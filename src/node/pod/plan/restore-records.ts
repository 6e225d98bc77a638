import type { ContainerState } from '../../../resources/types/core.ts'
import type { ContainerRecord, Terminated } from '../../types/container-record.ts'
import { containerStatuses, containersOf, type Pod } from '../../types/pod.ts'

/** Restores container records from the pod's status: the only source for containers that the runtime has removed. */
export function restoreRecords(pod: Pod): readonly ContainerRecord[] {
  const statuses = containerStatuses(pod)
  return containersOf(pod).flatMap(({ container, role }): ContainerRecord[] => {
    const s = statuses.find((t) => t.name === container.name)
    if (s === undefined) return []
    const last = terminated(s.lastState)
    const running = s.state?.running
    const state = running
      ? ({ kind: 'running', id: s.containerID ?? '', startedAtMs: Date.parse(running.startedAt ?? '') } as const)
      : (terminated(s.state) ?? ({ kind: 'waiting', reason: 'ContainerCreating' } as const))
    return [
      {
        container,
        role,
        state,
        restartCount: s.restartCount,
        started: s.started ?? false,
        ready: s.ready,
        ...(last && { last }),
        ...(s.imageID ? { image: { name: s.image, id: s.imageID } } : {}),
      },
    ]
  })
}

function terminated(state: ContainerState | undefined): Terminated | undefined {
  const t = state?.terminated
  if (t === undefined) return undefined
  return {
    kind: 'terminated',
    id: t.containerID ?? '',
    exitCode: t.exitCode,
    ...(t.reason !== undefined && { reason: t.reason }),
    ...(t.message !== undefined && { message: t.message }),
    startedAtMs: moment(t.startedAt),
    finishedAtMs: moment(t.finishedAt),
  }
}

const moment = (text: string | undefined) => (text ? Date.parse(text) : undefined)
