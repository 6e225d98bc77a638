import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { type Runtime, type RuntimeEvent, type RuntimePod, recover } from './runtime.ts'

/** Retry delay of a runtime that does not respond. */
const RETRY_MS = 1000

export interface FollowRuntimeDeps {
  readonly runtime: Runtime
  readonly clock: Clock
  readonly log: Logger
  readonly nodeName: string
}

/** Reads the running containers, with retries until the runtime responds; undefined: the signal was aborted. */
export async function recoverPatiently(deps: FollowRuntimeDeps, signal: AbortSignal): Promise<ReadonlyMap<string, RuntimePod> | undefined> {
  while (!signal.aborted) {
    try {
      const recovered = await recover(deps.runtime, signal)
      if (!signal.aborted) return recovered
    } catch (error) {
      if (!signal.aborted) await failed(deps, error, signal)
    }
  }
  return undefined
}

export interface RuntimeFollower {
  event(event: RuntimeEvent): void
  /** Events were lost. */
  missed(): void
}

/** Delivers the runtime's events, with retries, until the signal is aborted. */
export async function followRuntime(deps: FollowRuntimeDeps, follower: RuntimeFollower, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await deps.runtime.events((event) => follower.event(event), signal)
    } catch (error) {
      // While the runtime is away, each pod would only fail in its turn.
      if (!signal.aborted) await failed(deps, error, signal)
      await answers(deps, signal)
    }
    if (!signal.aborted) follower.missed()
  }
}

/** Resolves when the runtime answers again, or when the signal is aborted. */
async function answers(deps: FollowRuntimeDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await deps.runtime.sandboxes({}, signal)
      return
    } catch (error) {
      if (!signal.aborted) await failed(deps, error, signal)
    }
  }
}

async function failed({ log, clock, nodeName }: FollowRuntimeDeps, error: unknown, signal: AbortSignal): Promise<void> {
  log.warn(`the runtime of node ${nodeName} does not respond`, { error })
  await pause(clock, RETRY_MS, signal)
}
