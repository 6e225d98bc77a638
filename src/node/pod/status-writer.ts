import type { Json, JsonObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PODS } from '../../sdk/client/refs.ts'
import type { Pod } from './pod-types.ts'

/** `gone`: the pod does not exist any more, or another one has its name. */
export type WriteOutcome = 'written' | 'unchanged' | 'gone'

/** Writes a pod's status as a merge patch of what changed, so that what others keep in it stands. */
export class StatusWriter {
  readonly #client: Client
  #known: JsonObject | undefined

  constructor(client: Client) {
    this.#client = client
  }

  async write(pod: Pod, status: JsonObject): Promise<WriteOutcome> {
    const before = this.#known ?? (pod.status as JsonObject)
    const patch = changed(before, status)
    if (patch === undefined) return 'unchanged'
    const { namespace, name, uid } = pod.metadata
    const target = {
      ...PODS,
      subresource: 'status',
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    }
    try {
      await this.#client.patch(target, 'merge', { metadata: { uid }, status: patch } as JsonObject)
    } catch (error) {
      if (isStatus(error, 'NotFound', 'Conflict', 'Invalid')) return 'gone'
      throw error
    }
    this.#known = status
    return 'written'
  }
}

/** Fields that this agent owns and that vanished are taken away; fields of others are left alone. */
const OWN = ['reason', 'message', 'podIP', 'podIPs', 'initContainerStatuses', 'containerStatuses', 'startTime', 'resources']

function changed(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {}
  for (const [name, value] of Object.entries(after)) {
    if (value !== undefined && JSON.stringify(before[name]) !== JSON.stringify(value)) patch[name] = value
  }
  for (const name of OWN) if (before[name] !== undefined && after[name] === undefined) patch[name] = null
  return Object.keys(patch).length === 0 ? undefined : patch
}
