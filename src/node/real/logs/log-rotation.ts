import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { pause } from '../../../base/pause.ts'
import type { LogLimits } from '../../runtime/container-log.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { AgentPart, AgentView } from '../../types/agent-part.ts'
import type { ContainerLogs } from './container-logs.ts'
import { rotateLog } from './rotate-log.ts'

export interface LogRotationDeps {
  readonly runtime: Pick<Runtime, 'containers' | 'reopenLog'>
  readonly logs: ContainerLogs
  readonly limits: LogLimits
  /** How often the logs are looked at. */
  readonly intervalMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** Rotates the logs of containers that run. */
export class LogRotation implements AgentPart {
  readonly #deps: LogRotationDeps

  constructor(deps: LogRotationDeps) {
    this.#deps = deps
  }

  async run(_: AgentView, signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, log } = this.#deps
    while (!signal.aborted) {
      await pause(clock, intervalMs, signal)
      if (signal.aborted) return
      try {
        await this.#rotateAll(signal)
      } catch (error) {
        if (!signal.aborted) log.info('logs of containers could not be rotated, trying again', { error: messageOf(error) })
      }
    }
  }

  async #rotateAll(signal: AbortSignal): Promise<void> {
    const { runtime, logs, limits, clock, log } = this.#deps
    for (const container of await runtime.containers({}, signal)) {
      if (container.state !== 'running') continue
      const reopen = async () => runtime.reopenLog?.(container.id, signal)
      await rotateLog(logs.pathOf(container), { ...limits, nowMs: clock.now(), reopen }).catch((error) =>
        log.warn('the log of a container could not be rotated', { container: container.id, error: messageOf(error) }),
      )
    }
  }
}
