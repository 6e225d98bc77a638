import type { Quantity } from '../../machinery/quantity.ts'
import type { Node, ResourceStatus } from '../../resources/types/core.ts'
import type { ContainerAdditions } from '../runtime/container-spec.ts'
import type { Container, Pod } from './pod.ts'

/** Why a node does not take a pod that was bound to it: `OutOfcpu`, `NodeAffinity`, `UnexpectedAdmissionError`, … */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Why a node cannot give a running pod what its spec requests by now: not yet, or never. */
export interface NoRoom {
  readonly kind: 'Deferred' | 'Infeasible'
  readonly resource: string
  readonly message: string
  /** How the event names it. Default: by the resource (`OutOfcpu`). */
  readonly word?: string
}

export interface AdmitRequest {
  readonly pod: Pod
  /** The node as the API has it. */
  readonly node: Node
  /** The pods that this node has taken on and that have not ended. */
  readonly taken: readonly Pod[]
  /** How many they are, where that is known: who asks for more than that has them looked up. */
  readonly count?: number
  /** How much of a resource they ask for together, where that is known. */
  readonly held?: (resource: string) => Quantity
  /** Its containers ran before this agent started: what they hold they keep. */
  readonly recovered: boolean
  /** Whether a handler has counted that resource for the pod by itself. */
  readonly settled?: (resource: string) => boolean
  /** Sends another pod away for this one; resolves when nothing of it runs any more. */
  readonly preempt?: (victim: Pod) => Promise<void>
}

/** Why a pod gets no sandbox now; it is told as an event of the pod. */
export interface HeldBack extends Refusal {
  /** It is not told: that it has to wait a while is as it should be. */
  readonly quiet?: boolean
  /** How long until it is tried again, if nothing happens before. */
  readonly retryMs: number
}

export interface PrepareRequest {
  readonly pod: Pod
  /** Containers of it are there in the runtime, and have not ended. */
  readonly runs: boolean
}

/**
 * One question that a pod has to pass before it is started: does it fit, which devices does it get, which cores. Pods are asked about one
 * after the other, in the order in which they came; nothing else is admitted meanwhile.
 */
export interface AdmitHandler {
  readonly name: string
  /**
   * What takes long, before the pod's turn comes: others are admitted meanwhile. undefined: there is nothing to be done. When the signal
   * is aborted (the pod is deleted, the agent stops), what was taken is given back, and the promise may reject; so does `release` later.
   */
  prepare?(request: PrepareRequest, signal: AbortSignal): Promise<Refusal | undefined> | undefined
  /** Takes the pod on (allocates what it needs), or says why not. Never called twice for a pod without `release` in between. */
  admit(request: AdmitRequest, signal: AbortSignal): Refusal | undefined | Promise<Refusal | undefined>
  /** Gives back what was allocated: the pod has ended, or a later handler has refused it. */
  release(pod: Pod): void
  /** What a container of an admitted pod gets beside what its spec says. */
  additions?(pod: Pod, container: Container): ContainerAdditions | undefined
  /** The last step before a container is created; what it throws is the container's `CreateContainerConfigError`. */
  beforeStart?(pod: Pod, container: Container, signal: AbortSignal): Promise<void>
  /** The last step before a sandbox is made for an admitted pod. */
  beforeSandbox?(pod: Pod, signal: AbortSignal): Promise<HeldBack | undefined>
  /**
   * Everything of the pod has stopped, and nobody was told so: what others may take as soon as they hear of its end is given back here.
   * While it rejects, the end is not told, and it is called again; so it is for a pod that an agent before this one has ended.
   */
  afterStop?(pod: Pod, signal: AbortSignal): Promise<void>
  /** How the devices of a container are: its `allocatedResourcesStatus`. */
  resourceHealth?(pod: Pod, container: string): readonly ResourceStatus[]
  /** Calls `changed` when those answers have changed for a pod, until the signal is aborted. */
  watchPods?(changed: (podUid: string) => void, signal: AbortSignal): void
  /** Why a pod that runs cannot be given what its spec asks for by now, in place of what it was given. */
  noRoom?(pod: Pod, given: Pod): NoRoom | undefined
  /** Whether this handler has counted that resource for the pod: nobody else need. */
  settles?(pod: Pod, resource: string): boolean
  /** After a start, when all pods were told: who is not among these holds nothing any more. */
  retain?(podUids: ReadonlySet<string>): void
}
