import type { Node } from '../../resources/types/core.ts'
import type { RecordedEvent } from '../../sdk/controller/event-recorder.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Pod } from './pod.ts'
import type { PodTermination } from './pod-termination.ts'

/** The agent, as its parts see it. */
export interface AgentView {
  /** The pods that the node has admitted and that have not ended. */
  pods(): readonly Pod[]
  readonly runtime: Runtime
  /** Its Node as the API has it; undefined until it is known. */
  node(): Node | undefined
  /** Whether the pod is being terminated, for whatever reason. */
  ending(pod: Pod): boolean
  /** Ends a pod before its time. Resolves when nothing of it runs any more. */
  end(pod: Pod, termination: PodTermination): Promise<void>
  record(event: RecordedEvent): void
  /** Records an event about the node. */
  tellNode(type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** Something that runs for as long as the agent does, beside the pods' workers. */
export interface AgentPart {
  /** Until the signal is aborted. Never rejects before. */
  run(agent: AgentView, signal: AbortSignal): Promise<void>
  /** Its Node has another version. */
  nodeChanged?(node: Node): void
  /** A pod on the node has another version. */
  podChanged?(pod: Pod): void
}
