import type { Node } from '../../resources/types/core.ts'
import type { RecordedEvent } from '../../sdk/controller/event-recorder.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Pod } from './pod.ts'
import type { PodTermination } from './pod-termination.ts'

/** The agent as its parts see it. */
export interface AgentView {
  /** The admitted pods that have not ended. */
  pods(): readonly Pod[]
  readonly runtime: Runtime
  /** The Node object; undefined until it is known. */
  node(): Node | undefined
  /** Whether the pod is being terminated, for any reason. */
  ending(pod: Pod): boolean
  /** Terminates a pod. Resolves when none of its containers runs any more. */
  end(pod: Pod, termination: PodTermination): Promise<void>
  record(event: RecordedEvent): void
  /** Records an event about the node. */
  recordNodeEvent(type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** A component that runs as long as the agent. */
export interface AgentPart {
  /** Runs until the signal is aborted. Never rejects before. */
  run(agent: AgentView, signal: AbortSignal): Promise<void>
  /** Its Node has changed. */
  nodeChanged?(node: Node): void
  /** A pod of the node has changed. */
  podChanged?(pod: Pod): void
}
