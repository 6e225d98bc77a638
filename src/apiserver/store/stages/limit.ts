import { OBJECT_LIMITS } from '../../../machinery/resource/object-limits.ts'
import { forbiddenStatus } from '../../../machinery/status-error.ts'
import { groupResource } from '../write.ts'
import type { CreateWork } from './work.ts'

/**
 * Rejects a new object beyond the limit of its collection with the error of a resource quota: a client that creates objects without end
 * gets a readable error before the process runs out of memory. Concurrent creates are not counted.
 */
export function limit({ deps, write, draft }: CreateWork): void {
  const { objectLimits = OBJECT_LIMITS, watchCache } = deps
  const { definition } = write.served
  const { group, resource } = definition.storedAs ?? groupResource(write)
  const collection = group === '' ? resource : `${resource}.${group}`
  const most = objectLimits.get(collection) ?? objectLimits.get('*') ?? Number.POSITIVE_INFINITY
  const used = watchCache.of(definition).size
  if (used < most) return
  const count = (n: number) => `count/${collection}=${n}`
  const why = `exceeded quota: object limits of the server, requested: ${count(1)}, used: ${count(used)}, limited: ${count(most)}`
  throw forbiddenStatus(groupResource(write), draft.metadata.name || (draft.metadata.generateName ?? ''), why)
}
