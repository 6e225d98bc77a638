import type { Container, ContainerRole, Pod } from './pod-types.ts'
import { roleOf } from './pod-types.ts'

export interface Terminated {
  readonly kind: 'terminated'
  readonly id: string
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAtMs: number
  readonly finishedAtMs: number
}

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly id: string; readonly startedAtMs: number }
  | Terminated

/** What the agent knows of one container of one pod. Replaced whole at each change. */
export interface ContainerRecord {
  readonly container: Container
  readonly role: ContainerRole
  readonly state: ContainerState
  readonly last?: Terminated
  readonly restartCount: number
  /** Passed its startup probe, or has none. */
  readonly started: boolean
  readonly ready: boolean
  /** The image as the runtime names it, once a container was created from it. */
  readonly image?: { readonly name: string; readonly id: string }
  /** The current wait before a restart or the next pull, and when it ends. */
  readonly backOff?: { readonly delayMs: number; readonly untilMs: number; readonly of: 'restart' | 'pull'; readonly error?: string }
}

/** All containers of a pod as they stand before anything ran. */
export function freshRecords(pod: Pod): readonly ContainerRecord[] {
  const waiting = pod.spec.initContainers?.length ? 'PodInitializing' : 'ContainerCreating'
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((container) => ({
    container,
    role: roleOf(pod, container),
    state: { kind: 'waiting', reason: waiting },
    restartCount: 0,
    started: false,
    ready: false,
  }))
}

/** Whether an init container or sidecar lets the next one start. */
export function isInitialised(record: ContainerRecord): boolean {
  if (record.role === 'sidecar') return record.started
  return record.state.kind === 'terminated' && record.state.exitCode === 0
}
