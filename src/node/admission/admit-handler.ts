import type { KubeObject } from '../../machinery/object.ts'
import type { Container, Pod } from '../pod/pod-types.ts'
import type { ContainerAdditions } from '../runtime/container-spec.ts'

/** Why a node does not take a pod that was bound to it: `OutOfcpu`, `NodeAffinity`, `UnexpectedAdmissionError`, … */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

export interface AdmitRequest {
  readonly pod: Pod
  /** The node as the API has it. */
  readonly node: KubeObject
  /** The pods that this node has taken on and that have not ended. */
  readonly taken: readonly Pod[]
  /** Its containers ran before this agent started: what they hold they keep. */
  readonly recovered: boolean
}

/**
 * One question that a pod has to pass before it is started: does it fit, which devices does it get, which cores. Pods are asked about one after the
 * other, in the order in which they came; nothing else is admitted meanwhile.
 */
export interface AdmitHandler {
  readonly name: string
  /** Takes the pod on (allocates what it needs), or says why not. Never called twice for a pod without `release` in between. */
  admit(request: AdmitRequest, signal: AbortSignal): Promise<Refusal | undefined>
  /** Gives back what was allocated: the pod has ended, or a later handler has refused it. */
  release(pod: Pod): void
  /** What a container of an admitted pod gets beside what its spec says. */
  additions?(pod: Pod, container: Container): ContainerAdditions | undefined
}

/** Asks all handlers in order; when one refuses (or throws), those before it give back what they took. */
export async function admitPod(
  handlers: readonly AdmitHandler[],
  request: AdmitRequest,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const admitted: AdmitHandler[] = []
  for (const handler of handlers) {
    const refusal = await ask(handler, request, signal)
    if (refusal !== undefined) {
      for (const before of admitted.reverse()) before.release(request.pod)
      return refusal
    }
    admitted.push(handler)
  }
  return undefined
}

/** What a handler throws is a refusal like any other. */
async function ask(handler: AdmitHandler, request: AdmitRequest, signal: AbortSignal): Promise<Refusal | undefined> {
  try {
    return await handler.admit(request, signal)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { reason: 'UnexpectedAdmissionError', message: `Unexpected error while admitting the pod by ${handler.name}: ${message}` }
  }
}
