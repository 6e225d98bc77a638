import type { Later } from '../../../base/steps.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import type { PrepareRequest } from '../../types/admit-handler.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { ProviderHints, TopologyHint } from './hint.ts'

/** A manager that allocates CPUs, memory or devices, and knows the NUMA nodes from which they could come. */
export interface HintProvider {
  readonly name: string
  /** Resolves when its hints for the pod are ready; other pods are admitted meanwhile. undefined: at once. */
  ready?(request: PrepareRequest, signal: AbortSignal): Promise<void> | undefined
  /** The hints for one container, by resource. */
  containerHints(pod: Pod, container: Container): ProviderHints
  /** The same for all containers of the pod together (`topologyManagerScope: pod`). */
  podHints(pod: Pod): ProviderHints
  /**
   * Allocates the container's resources, if possible from the hint's nodes. What the container holds already is kept.
   * @throws Error with a message that Kubernetes puts between `Allocate failed due to` and `, which is unexpected`
   */
  allocate(pod: Pod, container: Container, hint: TopologyHint, signal: AbortSignal): Later<void>
  /** Releases the resources of all containers of the pod. */
  release(pod: Pod): void
  /** Releases the resources of all other pods. */
  retain?(podUids: ReadonlySet<string>): void
  /** The policy and the resource that a refusal of an in-place resize names, if this manager allocates exclusively. */
  readonly fixed?: { readonly resource: string; readonly policy: string }
  /** What the allocation adds to a container beyond its spec. */
  additions?(pod: Pod, container: Container): ContainerAdditions | undefined
}

/** All containers that get resources, in order: init containers first. */
export const allocatedContainers = (pod: Pod): readonly Container[] => [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]

/** An init container that ends before the next one starts, so that its resources can be reused. */
export const isPlainInit = (pod: Pod, container: Container): boolean =>
  pod.spec.initContainers?.some((c) => c.name === container.name && c.restartPolicy !== 'Always') ?? false
