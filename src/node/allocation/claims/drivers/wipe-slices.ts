import type { Clock } from '../../../../base/clock.ts'
import type { Logger } from '../../../../base/logger.ts'
import { isStatus } from '../../../../machinery/status-error.ts'
import { NODES, RESOURCE_SLICES } from '../../../../resources/refs.ts'
import type { Client } from '../../../../sdk/client/client.ts'

export interface WipeDeps {
  /** As the node. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly nodeName: string
}

const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 5 * 60_000

/**
 * Takes what a driver (or all of them) offers on the node out of the API: nothing could make it ready. Tries until it has, or until the
 * signal is aborted; never rejects.
 */
export async function wipeSlices(
  { client, clock, log, nodeName }: WipeDeps,
  driver: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const fieldSelector = [`spec.nodeName=${nodeName}`, ...(driver === undefined ? [] : [`spec.driver=${driver}`])].join(',')
  for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
    try {
      // A node that is not there yet may not ask.
      await client.get({ ...NODES, name: nodeName }, { signal })
      await client.deleteCollection(RESOURCE_SLICES, { fieldSelector })
      if (driver !== undefined) log.warn(`the driver ${driver} has gone: what it offered on ${nodeName} is taken out of the API`)
      return
    } catch (error) {
      if (signal.aborted) return
      if (!isStatus(error, 'NotFound')) log.warn(`resource slices of ${nodeName} cannot be deleted, trying again`, { error })
      await clock.sleep(waitMs, signal).catch(() => {})
    }
  }
}
