import { untilAborted } from '../../../base/on-abort.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { requestTrails } from '../../../resources/bowsprit/requesttrails.ts'
import type { Client, ListOptions, Target, WatchOptions } from '../../../sdk/client/client.ts'

/**
 * A client whose lists are of one revision of the store, and whose watches are silent: who follows a collection by it sees what was there
 * then. Reports are of the present, for they have no revisions of the store. Single objects are read as they are now.
 */
export function pastClient(client: Client, revision: string): Client {
  const exact = { resourceVersion: revision, resourceVersionMatch: 'Exact' } as const
  const list = async (target: Target, options: ListOptions = {}) => {
    if (isReport(target)) return client.list(target, options)
    try {
      // The token of a continued list has the revision.
      return await client.list(target, { ...options, ...(options.continue === undefined && exact) })
    } catch (error) {
      // Another list would be as late.
      throw isStatus(error) && error.code === 410 ? new Error(`revision ${revision} is no longer kept`, { cause: error }) : error
    }
  }
  const watch = (target: Target, options?: WatchOptions) => (isReport(target) ? client.watch(target, options) : silence(options?.signal))
  return { ...client, list: list as Client['list'], watch: watch as Client['watch'] }
}

const isReport = ({ group }: Target): boolean => group === requestTrails.group

/** A watch without events. */
async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  if (signal !== undefined) await untilAborted(signal)
  yield* []
}
