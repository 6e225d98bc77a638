import type { Later } from '../../base/steps.ts'
import type { Quantity } from '../../machinery/quantity.ts'
import type { Node, ResourceStatus } from '../../resources/types/core.ts'
import type { ContainerAdditions, ContainerResources, ContainerSpec, SandboxSpec } from '../runtime/container-spec.ts'
import type { ContainerStatus, Image, PullRequest } from '../runtime/runtime.ts'
import type { Container, Pod } from './pod.ts'

/** Why a node refuses a pod that was bound to it: `OutOfcpu`, `NodeAffinity`, `UnexpectedAdmissionError`, … */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Why a node cannot resize a running pod to the requests of its spec: not yet, or never. */
export interface ResizeRefusal {
  readonly kind: 'Deferred' | 'Infeasible'
  readonly resource: string
  readonly message: string
  /** The reason in the event. Default: by the resource (`OutOfcpu`). */
  readonly word?: string
}

export interface AdmitRequest {
  readonly pod: Pod
  /** The Node object. */
  readonly node: Node
  /** The admitted pods of this node that have not ended. */
  readonly taken: readonly Pod[]
  /** Their number, if it is known without computing `taken`. */
  readonly count?: number
  /** The total of a resource that they request, if it is known. */
  readonly held?: (resource: string) => Quantity
  /** Its containers ran before this agent started: they keep their resources. */
  readonly recovered: boolean
  /** Whether a handler has accounted for that resource of the pod itself. */
  readonly isAccounted?: (resource: string) => boolean
  /** Preempts a pod in favour of this one; resolves when none of its containers runs any more. */
  readonly preempt?: (victim: Pod) => Promise<void>
}

/** Why a pod gets no sandbox now; reported as an event of the pod. */
export interface HeldBack extends Refusal {
  /** No event: the wait is expected. */
  readonly quiet?: boolean
  /** The retry delay, if nothing happens before. */
  readonly retryMs: number
}

export interface PrepareRequest {
  readonly pod: Pod
  /** Containers of it run in the runtime. */
  readonly runs: boolean
}

/** Why the machine cannot give a container what it needs; the message is what its status shows. */
export class CompletionError extends Error {
  override readonly name = 'CompletionError'
  readonly code = 'not-to-be-had'
}

/** A container whose spec is complete but for what its machine alone knows. */
export interface CompleteRequest {
  readonly pod: Pod
  readonly container: Container
  readonly spec: ContainerSpec
  readonly image: Image
  /** How many sandboxes the pod had before its present one. */
  readonly sandboxAttempt: number
  readonly podIps: readonly string[]
}

export type StartedContainer = Pick<ContainerStatus, 'pod' | 'name' | 'attempt' | 'id'>

export interface ResizePodRequest {
  /** As it will be. */
  readonly pod: Pod
  readonly sandboxId: string
  readonly resource: 'memory' | 'cpu'
  readonly direction: 'up' | 'down'
}

/** Quantities by resource, of a pod as a whole. */
export interface HeldAmounts {
  readonly limits: Readonly<Record<string, string>>
  readonly requests: Readonly<Record<string, string>>
}

/**
 * An admission check with allocation: does the pod fit, which devices and CPUs does it get. Pods are admitted one after the other in order
 * of arrival.
 */
export interface AdmitHandler {
  readonly name: string
  /**
   * Preparation that takes long; other pods are admitted meanwhile. undefined: nothing to prepare. When the signal is aborted (the pod is
   * deleted, the agent stops), resources are released and the promise may reject; the same holds for a later `release`.
   */
  prepare?(request: PrepareRequest, signal: AbortSignal): Promise<Refusal | undefined> | undefined
  /** Admits the pod and allocates its resources, or returns why not. Never called twice for a pod without `release` in between. */
  admit(request: AdmitRequest, signal: AbortSignal): Later<Refusal | undefined>
  /** Releases the allocated resources: the pod has ended, or a later handler has refused it. */
  release(pod: Pod): void
  /** What a container of an admitted pod gets in addition to its spec. */
  additions?(pod: Pod, container: Container): ContainerAdditions | undefined
  /** The last step before a container is created; its error becomes the container's `CreateContainerConfigError`. */
  beforeStart?(pod: Pod, container: Container, signal: AbortSignal): Promise<void>
  /** A container of the pod was started. */
  afterStart?(started: StartedContainer): Promise<void>
  /** Ended attempts of containers were removed from the runtime; these are left. */
  afterPrune?(pod: Pod, left: readonly ContainerStatus[]): Promise<void>
  /** Adds what the machine under the node knows of a pod: paths, control groups, ids. */
  completeSandbox?(pod: Pod, spec: SandboxSpec): Promise<SandboxSpec>
  /** The same for a container; what it throws is the container's `CreateContainerConfigError`. */
  completeContainer?(request: CompleteRequest, signal: AbortSignal): Promise<ContainerSpec>
  /** Completes new amounts of a running container; the pod is as it will be. */
  completeResources?(pod: Pod, container: Container, resources: ContainerResources): ContainerResources
  /** Makes room for new amounts of the pod's containers (`up`), or takes away what they have no more (`down`). */
  resizePod?(request: ResizePodRequest, signal: AbortSignal): Promise<void>
  /** Why running containers cannot be held to less memory now. */
  memoryFault?(pod: Pod, limits: ReadonlyMap<string, number>, signal: AbortSignal): Promise<string | undefined>
  /** What the machine holds the whole pod to; undefined: it does not say. */
  heldAmounts?(pod: Pod): HeldAmounts | undefined
  /** What the machine adds to the pull of an image for the pod. */
  completePull?(pod: Pod, pull: PullRequest): Promise<PullRequest>
  /** The last step before a sandbox is created for an admitted pod. */
  beforeSandbox?(pod: Pod, signal: AbortSignal): Promise<HeldBack | undefined>
  /**
   * Runs when all containers of the pod have stopped, before that is reported: releases what others may use as soon as they learn of the
   * end.
   * While it rejects, the end is not reported, and it is called again; also called for a pod that a previous agent has ended.
   */
  afterStop?(pod: Pod, signal: AbortSignal): Promise<void>
  /** The pod's object is about to go: nothing of it stays on the node. While it rejects, the object stays. */
  clear?(pod: Pod): Promise<void>
  /** The device health of a container: its `allocatedResourcesStatus`. */
  resourceHealth?(pod: Pod, container: string): readonly ResourceStatus[]
  /** Calls `changed` when that health has changed for a pod, until the signal is aborted. */
  watchPods?(changed: (podUid: string) => void, signal: AbortSignal): void
  /** Why a running pod cannot be resized from its allocation to the requests of its spec. */
  resizeRefusal?(pod: Pod, given: Pod): ResizeRefusal | undefined
  /** Whether this handler accounts for that resource of the pod itself, so that no other handler has to. */
  accountsFor?(pod: Pod, resource: string): boolean
  /** Called after a start, when all pods are known: all other pods hold no resources any more. */
  retain?(podUids: ReadonlySet<string>): void
}
