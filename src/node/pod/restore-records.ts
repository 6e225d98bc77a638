import type { ContainerRecord, Terminated } from './container-record.ts'
import { freshRecords } from './container-record.ts'
import type { Pod } from './pod-types.ts'

interface StatusJson {
  readonly name: string
  readonly image?: string
  readonly imageID?: string
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly state?: StateJson
  readonly lastState?: StateJson
}

interface StateJson {
  readonly running?: { startedAt?: string }
  readonly terminated?: { exitCode: number; reason?: string; startedAt?: string; finishedAt?: string; containerID?: string }
}

/** What an agent that starts anew takes over from the status that its predecessor wrote. */
export function restoreRecords(pod: Pod): readonly ContainerRecord[] {
  const told = [
    ...((pod.status.initContainerStatuses ?? []) as StatusJson[]),
    ...((pod.status.containerStatuses ?? []) as (StatusJson & { containerID?: string })[]),
  ]
  return freshRecords(pod).map((fresh): ContainerRecord => {
    const s = told.find((t) => t.name === fresh.container.name) as (StatusJson & { containerID?: string }) | undefined
    if (s === undefined) return fresh
    const last = terminated(s.lastState)
    const ended = terminated(s.state)
    const state = s.state?.running
      ? ({ kind: 'running', id: s.containerID ?? '', startedAtMs: Date.parse(s.state.running.startedAt ?? '') } as const)
      : (ended ?? fresh.state)
    return {
      ...fresh,
      state,
      restartCount: s.restartCount ?? 0,
      started: s.started ?? false,
      ready: s.ready ?? false,
      ...(last === undefined ? {} : { last }),
      ...(s.imageID ? { image: { name: s.image ?? '', id: s.imageID } } : {}),
    }
  })
}

function terminated(state: StateJson | undefined): Terminated | undefined {
  const t = state?.terminated
  if (t === undefined) return undefined
  return {
    kind: 'terminated',
    id: t.containerID ?? '',
    exitCode: t.exitCode,
    ...(t.reason === undefined ? {} : { reason: t.reason }),
    startedAtMs: Date.parse(t.startedAt ?? ''),
    finishedAtMs: Date.parse(t.finishedAt ?? ''),
  }
}
