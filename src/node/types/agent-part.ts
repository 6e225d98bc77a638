import type { KubeObject } from '../../machinery/object.ts'
import type { RecordedEvent } from '../../sdk/controller/event-recorder.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Pod } from './pod.ts'
import type { PodTermination } from './pod-termination.ts'

/** What a part of an agent sees of it. */
export interface AgentView {
  /** The pods that the node has taken on and that have not ended. */
  pods(): readonly Pod[]
  readonly runtime: Runtime
  /** Its Node as the API has it; undefined until it is known. */
  node(): KubeObject | undefined
  /** Whether the pod is on its way out, whoever wants it. */
  ending(pod: Pod): boolean
  /** Ends a pod before its time. Resolves when nothing of it runs any more. */
  end(pod: Pod, termination: PodTermination): Promise<void>
  record(event: RecordedEvent): void
  /** Says something of the node that people should know. */
  tellNode(type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** What goes on beside the pods' own lives for as long as the agent runs. */
export interface AgentPart {
  /** Until the signal is aborted. Never rejects before. */
  run(agent: AgentView, signal: AbortSignal): Promise<void>
  /** The node, or a pod of it, is another one by now. */
  changed?(object: KubeObject): void
}
