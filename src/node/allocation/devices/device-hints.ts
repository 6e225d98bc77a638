import { countOf, maskOf, masksOf, type NodeMask, nodesOf } from '../../machine/node-mask.ts'
import type { PrepareRequest } from '../../types/admit-handler.ts'
import { type Container, type Pod, uidOf } from '../../types/pod.ts'
import type { TopologyHint } from '../hints/hint.ts'
import type { HintProvider } from '../hints/hint-provider.ts'
import { idsOf } from './device-ledger.ts'
import type { DeviceManager } from './device-manager.ts'
import type { ResourcePool } from './resource-pool.ts'
import { deviceUsers, wantedDevices } from './wanted-devices.ts'

/** The device manager as a hint provider of the topology manager: from which NUMA nodes devices could come, and their allocation. */
export function deviceHints(manager: DeviceManager, nodes: readonly number[]): HintProvider {
  /** The devices that the current pod's init containers lend. */
  let lent: { readonly uid: string; readonly reuse: Map<string, Set<string>> } | undefined
  const running = new Set<string>()
  const reuseOf = (uid: string) => {
    if (lent?.uid !== uid) lent = { uid, reuse: new Map() }
    return lent.reuse
  }
  const known = (resource: string) => manager.pools.get(resource)

  return {
    name: 'devices',
    ready(request: PrepareRequest, signal: AbortSignal) {
      if (request.runs) running.add(uidOf(request.pod))
      return manager.ready(request, signal)
    },
    containerHints(pod, container) {
      const uid = uidOf(pod)
      const hints: Record<string, readonly TopologyHint[] | undefined> = {}
      for (const [resource, count] of wantedDevices(pod, container)) {
        const pool = known(resource)
        // Running containers hold their devices already: no hints are needed.
        if (pool === undefined || running.has(uid)) continue
        const held = manager.ledger.holding(uid, container.name, resource)
        hints[resource] = resourceHints(nodes, pool, {
          count,
          held: held && idsOf(held),
          free: freeOf(manager, pool),
          reusable: [...(reuseOf(uid).get(resource) ?? [])],
        })
      }
      return hints
    },
    podHints(pod) {
      const uid = uidOf(pod)
      const hints: Record<string, readonly TopologyHint[] | undefined> = {}
      for (const [resource, count] of podDevices(pod)) {
        const pool = known(resource)
        if (pool === undefined || running.has(uid)) continue
        const held = deviceUsers(pod).flatMap(({ container }) => {
          const holding = manager.ledger.holding(uid, container.name, resource)
          return holding === undefined ? [] : idsOf(holding)
        })
        const all = held.length === 0 ? undefined : [...new Set(held)]
        hints[resource] = resourceHints(nodes, pool, { count, held: all, free: freeOf(manager, pool), reusable: [] })
      }
      return hints
    },
    async allocate(pod, container, hint, signal) {
      const uid = uidOf(pod)
      if (running.has(uid)) return
      const after = deviceUsers(pod).find((user) => user.container.name === container.name)?.after ?? 'keeps'
      const affinity = hint.nodes === undefined ? undefined : new Set(nodesOf(hint.nodes))
      await manager.allocate({ pod, container, after, reuse: reuseOf(uid), affinity }, signal)
    },
    release(pod) {
      running.delete(uidOf(pod))
      if (lent?.uid === uidOf(pod)) lent = undefined
      manager.release(pod)
    },
  } satisfies HintProvider
}

export interface HintRequest {
  readonly count: number
  /** The devices that it holds already for this. */
  readonly held: readonly string[] | undefined
  readonly free: readonly string[]
  readonly reusable: readonly string[]
}

/**
 * The sets of NUMA nodes that can satisfy a request; those of the minimal size on this machine are preferred. Undefined: the devices have
 * no topology. Pure.
 */
export function resourceHints(
  nodes: readonly number[],
  { devices }: Pick<ResourcePool, 'devices'>,
  { count, held, free, reusable }: HintRequest,
): readonly TopologyHint[] | undefined {
  if (![...devices.values()].some(({ numaNodes }) => numaNodes.length > 0)) return undefined
  // A plugin may report NUMA nodes that this machine does not have.
  const places = new Map([...devices].map(([id, { numaNodes }]) => [id, maskOf(numaNodes.filter((n) => nodes.includes(n)))]))
  const placeOf = (id: string): NodeMask => places.get(id) ?? 0
  if (held !== undefined && held.length !== count) return []
  const lent = held === undefined ? new Set(reusable) : new Set<string>()
  const usable = (held ?? free).filter((id) => !lent.has(id))
  if (usable.length + lent.size < count) return []
  let fewest = nodes.length
  const masks: NodeMask[] = []
  for (const mask of masksOf(nodes)) {
    const inside = (ids: Iterable<string>) => [...ids].filter((id) => (placeOf(id) & mask) !== 0).length
    if (inside(places.keys()) >= count) fewest = Math.min(fewest, countOf(mask))
    const near = [...lent].filter((id) => placeOf(id) !== 0)
    if (inside(near) < near.length || near.length + inside(usable) < count) continue
    masks.push(mask)
  }
  return masks.map((mask) => ({ nodes: mask, preferred: countOf(mask) === fewest }))
}

const freeOf = (manager: DeviceManager, pool: ResourcePool): readonly string[] => {
  const owners = manager.ledger.owners(pool.name)
  return pool.healthy.flatMap(({ id }) => (owners.has(id) ? [] : [id]))
}

/** The number of devices that all containers of a pod need at once (KEP-753). */
function podDevices(pod: Pod): ReadonlyMap<string, number> {
  const [sidecars, inits, total] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const more = (into: Map<string, number>, resource: string, count: number) => into.set(resource, (into.get(resource) ?? 0) + count)
  const wanted = (container: Container) => wantedDevices(pod, container)
  for (const { container, after } of deviceUsers(pod)) {
    const init = pod.spec.initContainers?.includes(container) === true
    for (const [resource, count] of wanted(container)) {
      if (after === 'lends') inits.set(resource, Math.max(inits.get(resource) ?? 0, (sidecars.get(resource) ?? 0) + count))
      else more(init ? sidecars : total, resource, count)
    }
  }
  for (const [resource, count] of sidecars) more(total, resource, count)
  for (const [resource, count] of inits) total.set(resource, Math.max(total.get(resource) ?? 0, count))
  return total
}
