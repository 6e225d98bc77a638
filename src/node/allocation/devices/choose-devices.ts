import type { ListedDevice } from './device-list.ts'

/** The NUMA nodes that the topology manager chose; undefined: any. */
export type Affinity = ReadonlySet<number> | undefined

export interface Choice {
  readonly resource: string
  readonly needed: number
  /** The devices that the pod holds already and may reuse (lent by its init containers). */
  readonly reusable: readonly string[]
  readonly healthy: readonly ListedDevice[]
  readonly owners: ReadonlyMap<string, string>
  readonly affinity: Affinity
}

/** A `GetPreferredAllocation` call: the available devices, among them those that must be included. */
export interface PreferenceQuestion {
  readonly availableIds: readonly string[]
  readonly mustIncludeIds: readonly string[]
  readonly size: number
}

/** Too few devices are available; the message is the kubelet's. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
  readonly code = 'unavailable'
}

/**
 * Chooses a container's devices: first those that its pod may reuse, then free ones on the preferred NUMA nodes, then those that the plugin
 * prefers, then any. Calls the plugin only if there is a choice. The order and the messages are upstream's.
 */
export async function chooseDevices(
  choice: Choice,
  prefer: (question: PreferenceQuestion) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { resource, needed, healthy, owners, affinity } = choice
  const chosen = new Set<string>()
  const take = (ids: Iterable<string>): boolean => {
    for (const id of ids) {
      if (chosen.size >= needed) break
      chosen.add(id)
    }
    return chosen.size >= needed
  }
  if (take(choice.reusable)) return [...chosen]
  const free = healthy.filter((d) => !owners.has(d.id))
  if (free.length < needed - chosen.size) {
    const text = `requested number of devices unavailable for ${resource}. Requested: ${needed - chosen.size}, Available: ${free.length}`
    throw new AllocationError(text)
  }
  const near = (d: ListedDevice) => affinity !== undefined && d.numaNodes.some((n) => affinity.has(n))
  const aligned = ids(free.filter(near))
  const ask = async (of: readonly string[]) => {
    const preferred = await prefer({ availableIds: [...chosen, ...of], mustIncludeIds: [...chosen], size: needed })
    const allowed = new Set(of)
    return preferred.filter((id) => allowed.has(id))
  }
  if (needed - chosen.size < aligned.length) {
    if (take(await ask(aligned)) || take(aligned)) return [...chosen]
  } else {
    if (take(aligned)) return [...chosen]
    const rest = ids(free.filter((d) => !near(d)))
    if (take(await ask(rest))) return [...chosen]
    const far = free.filter((d) => !near(d) && d.numaNodes.length > 0 && affinity !== undefined)
    const nowhere = free.filter((d) => !near(d) && !far.includes(d))
    if (take(ids(far)) || take(ids(nowhere))) return [...chosen]
  }
  throw new AllocationError(`unexpectedly allocated less resources than required. Requested: ${needed}, Got: ${chosen.size}`)
}

const ids = (devices: readonly ListedDevice[]) => devices.map((d) => d.id)
