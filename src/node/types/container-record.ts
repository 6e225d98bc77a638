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

/** The state of one container of a pod. Computed anew at each look at the runtime. */
export interface ContainerRecord {
  readonly container: Container
  readonly role: ContainerRole
  readonly state: ShownState
  readonly last?: Terminated
  readonly restartCount: number
  /** Passed its startup probe, or has none. */
  readonly started: boolean
  /** Its startup probe has passed since the last look: that is reported first, and its consequences next. */
  readonly justStarted?: true
  readonly ready: boolean
  /** The runtime's name of the image, once a container was created from it. */
  readonly image?: { readonly name: string; readonly id: string }
  /** Its newest attempt, if the runtime has one. */
  readonly current?: ContainerStatus
  /** Its allocated resources, if they may differ from its spec. */
  readonly allocated?: Container['resources']
  /** Its actuated resources. */
  readonly resources?: Container['resources']
  /** The user of an attempt that the runtime has removed. */
  readonly user?: ContainerStatus['user']
}
