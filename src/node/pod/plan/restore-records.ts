import type { ContainerRecord, Terminated } from '../../types/container-record.ts'
import { containersOf, type Pod } from '../../types/pod.ts'

interface StatusJson {
  readonly name: string
  readonly image?: string
  readonly imageID?: string
  readonly containerID?: string
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly state?: StateJson
  readonly lastState?: StateJson
}

interface StateJson {
  readonly running?: { readonly startedAt?: string }
  readonly terminated?: {
    readonly exitCode: number
    readonly reason?: string
    readonly message?: string
    readonly startedAt?: string | null
    readonly finishedAt?: string | null
    readonly containerID?: string
  }
}

/** What the pod's status in the API tells of its containers: all that an agent knows of those that its runtime has forgotten. */
export function restoreRecords(pod: Pod): readonly ContainerRecord[] {
  const status: { readonly [list: string]: unknown } = pod.status
  const told = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap(
    (list) => status[list] ?? [],
  ) as StatusJson[]
  return containersOf(pod).flatMap(({ container, role }): ContainerRecord[] => {
    const s = told.find((t) => t.name === container.name)
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
        restartCount: s.restartCount ?? 0,
        started: s.started ?? false,
        ready: s.ready ?? false,
        ...(last && { last }),
        ...(s.imageID ? { image: { name: s.image ?? '', id: s.imageID } } : {}),
      },
    ]
  })
}

function terminated(state: StateJson | undefined): Terminated | undefined {
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

const moment = (text: string | null | undefined) => (text ? Date.parse(text) : undefined)
