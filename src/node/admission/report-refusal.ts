import { type Clock, timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { PODS } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Refusal } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'

const RETRY_MS = 1000

/** The status message of a refused pod. */
export const rejected = (refusal: Refusal): string => `Pod was rejected: ${refusal.message}`

export interface ReportRefusalDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** Whether the pod still exists. */
  readonly wanted: () => boolean
}

/** Writes the status of a refused pod, with retries until it is written or the pod is gone. Never rejects. */
export async function reportRefusal(pod: Pod, refusal: Refusal, deps: ReportRefusalDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, log, wanted } = deps
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const status = {
    phase: 'Failed',
    reason: refusal.reason,
    message: rejected(refusal),
    observedGeneration: pod.metadata.generation ?? 1,
    startTime: timestamp(clock.now()),
  }
  while (!signal.aborted && wanted()) {
    try {
      await client.patch({ ...PODS, namespace, name, subresource: 'status' }, 'merge', { metadata: { uid }, status })
      return
    } catch (error) {
      log.warn('the refusal of a pod could not be written, trying again', { pod: name, error })
      await pause(clock, RETRY_MS, signal)
    }
  }
}
