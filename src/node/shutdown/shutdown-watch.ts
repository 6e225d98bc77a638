import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import type { Node } from '../../resources/types/core.ts'

/** Knows whether the machine of a node shuts down. */
export interface ShutdownWatch {
  isDown(node: Node): boolean
  /** Calls `changed` when the answer may have changed other than with the Node, until the signal is aborted. Never rejects before. */
  run?(changed: () => void, signal: AbortSignal): Promise<void>
  /** The pods have ended: the machine need not wait any longer. */
  ended?(): void
}

/** A simulated machine shuts down while its Node has the annotation. */
export const annotatedShutdown: ShutdownWatch = {
  isDown: ({ metadata: { annotations } }) => (annotations?.[simulatedKey('shutdown')] ?? 'false') !== 'false',
}
