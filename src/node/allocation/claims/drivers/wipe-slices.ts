import type { Clock } from '../../../../base/clock.ts'
import type { Logger } from '../../../../base/logger.ts'
import { pause } from '../../../../base/pause.ts'
import { isStatus } from '../../../../machinery/status-error.ts'
import { NODES, RESOURCE_SLICES } from '../../../../resources/refs.ts'
import type { Client } from '../../../../sdk/client/client.ts'

export interface WipeDeps {
  /** Authenticates as the node. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly nodeName: string
}

const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 5 * 60_000

/**
 * Deletes the ResourceSlices that one driver (or all) published for the node: the devices could not be prepared. Retries until it succeeds
 * or the signal is aborted; never rejects.
 */
export async function wipeSlices(
  { client, clock, log, nodeName }: WipeDeps,
  driver: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const fieldSelector = [`spec.nodeName=${nodeName}`, ...(driver === undefined ? [] : [`spec.driver=${driver}`])].join(',')
  for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
    try {
      // A node may not list slices before its Node object exists.
      await client.get({ ...NODES, name: nodeName }, { signal })
      await client.deleteCollection(RESOURCE_SLICES, { fieldSelector })
      if (driver !== undefined) log.warn(`the driver ${driver} has gone: what it offered on ${nodeName} is taken out of the API`)
      return
    } catch (error) {
      if (signal.aborted) return
      if (!isStatus(error, 'NotFound')) log.warn(`resource slices of ${nodeName} cannot be deleted, trying again`, { error })
      await pause(clock, waitMs, signal)
    }
  }
}
