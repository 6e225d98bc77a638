import type { ContainerStatus } from '../runtime/runtime.ts'
import type { Container, ContainerRole } from './pod.ts'

export interface Terminated {
  readonly kind: 'terminated'
  readonly id: string
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAtMs: number | undefined
  readonly finishedAtMs: number | undefined
}

export type ShownState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly id: string; readonly startedAtMs: number }
  | Terminated

/** What the agent knows of one container of one pod. Made anew at each look at the runtime. */
export interface ContainerRecord {
  readonly container: Container
  readonly role: ContainerRole
  readonly state: ShownState
  readonly last?: Terminated
  readonly restartCount: number
  /** Passed its startup probe, or has none. */
  readonly started: boolean
  /** Its startup probe has passed since the look before: that is told first, and what follows from it next. */
  readonly justStarted?: true
  readonly ready: boolean
  /** The image as the runtime names it, once a container was created from it. */
  readonly image?: { readonly name: string; readonly id: string }
  /** Its newest attempt, while the runtime has one. */
  readonly current?: ContainerStatus
  /** What it was given, where that may differ from what its spec asks for. */
  readonly allocated?: Container['resources']
  /** What the runtime holds it to. */
  readonly resources?: Container['resources']
  /** Who an attempt ran as that the runtime has no more. */
  readonly user?: ContainerStatus['user']
}
