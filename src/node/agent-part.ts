import type { Pod } from './pod/pod-types.ts'
import type { Runtime } from './runtime/runtime.ts'

/** What a part of an agent sees of it. */
export interface AgentView {
  /** The pods that the node has taken on and that have not ended. */
  pods(): readonly Pod[]
  readonly runtime: Runtime
}

/** What goes on beside the pods' own lives for as long as the agent runs. */
export interface AgentPart {
  /** Until the signal is aborted. Never rejects before. */
  run(agent: AgentView, signal: AbortSignal): Promise<void>
}
