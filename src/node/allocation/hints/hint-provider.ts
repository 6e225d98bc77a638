import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import type { PrepareRequest } from '../../types/admit-handler.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { ProviderHints, TopologyHint } from './hint.ts'

/** Gives containers a part of the machine, and knows from which NUMA nodes it could come: processors, memory, devices. */
export interface HintProvider {
  readonly name: string
  /** Resolves when it can say something of the pod: before the pod's turn, while others are admitted. undefined: at once. */
  ready?(request: PrepareRequest, signal: AbortSignal): Promise<void> | undefined
  /** From where this container could be served, by resource. */
  containerHints(pod: Pod, container: Container): ProviderHints
  /** The same for all containers of the pod together (`topologyManagerScope: pod`). */
  podHints(pod: Pod): ProviderHints
  /**
   * Gives the container what it asks for, from the hint's nodes where that can be. What it holds already it keeps.
   * @throws Error with a message that Kubernetes puts between `Allocate failed due to` and `, which is unexpected`
   */
  allocate(pod: Pod, container: Container, hint: TopologyHint, signal: AbortSignal): void | Promise<void>
  /** Takes back what all containers of the pod hold. */
  release(pod: Pod): void
  /** Who is not among these holds nothing any more. */
  retain?(podUids: ReadonlySet<string>): void
  /** How what it gives alone is called in a refusal to resize a pod in place, and of which resource. */
  readonly fixed?: { readonly resource: string; readonly policy: string }
  /** What a container that holds something gets beside what its spec says. */
  additions?(pod: Pod, container: Container): ContainerAdditions | undefined
}

/** All containers that are given something, in the order in which they are: init containers first. */
export const allocatedContainers = (pod: Pod): readonly Container[] => [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]

/** Ends before the others start, so that they may have what it held. */
export const isPlainInit = (pod: Pod, container: Container): boolean =>
  pod.spec.initContainers?.some((c) => c.name === container.name && c.restartPolicy !== 'Always') ?? false
