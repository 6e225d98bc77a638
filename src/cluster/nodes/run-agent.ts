import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import type { NodeAgent } from '../../node/agent.ts'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 5000

/** Registers the agent's node, however often that fails, and runs it until the signal is aborted. */
export async function runAgent(
  agent: NodeAgent,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
    try {
      await agent.register()
      break
    } catch (error) {
      log.warn(`node ${agent.name} could not register, trying again`, { error })
      await pause(clock, waitMs, signal)
    }
  }
  if (!signal.aborted) await agent.run(signal)
}
