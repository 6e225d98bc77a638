import type { ContainerAllocateResponse } from '../../../sdk/node-api/device-plugin.ts'

/** The devices of one resource that a container holds. */
export interface Holding {
  /** Ids by NUMA node; -1: unknown. A device with several NUMA nodes is listed under each. */
  readonly byNuma: ReadonlyMap<number, readonly string[]>
  /** The plugin's response; undefined: it was lost, and the plugin has to be called again. */
  readonly response: ContainerAllocateResponse | undefined
}

/** One entry of the ledger. */
export interface LedgerEntry extends Holding {
  readonly podUid: string
  readonly container: string
  readonly resource: string
}

/** The NUMA node of devices without topology. */
export const NO_NUMA = -1

/** The devices of a holding, each once. */
export const idsOf = (holding: Pick<Holding, 'byNuma'>): readonly string[] => [...new Set([...holding.byNuma.values()].flat())]

/**
 * Which container holds which devices. Invariant: a device belongs to one pod at most. Containers of one pod may share it: init containers
 * lend theirs to later ones.
 */
export class DeviceLedger {
  /** By pod UID, container, resource. */
  readonly #pods = new Map<string, Map<string, Map<string, LedgerEntry>>>()
  /** By resource and device id: the UID of the pod that holds or has reserved it. */
  readonly #owners = new Map<string, Map<string, string>>()

  /** The owners of a resource's devices, including reservations. */
  owners(resource: string): ReadonlyMap<string, string> {
    return this.#owners.get(resource) ?? NOBODY
  }

  knowsResource(resource: string): boolean {
    return (this.#owners.get(resource)?.size ?? 0) > 0
  }

  holding(podUid: string, container: string, resource: string): Holding | undefined {
    return this.#pods.get(podUid)?.get(container)?.get(resource)
  }

  /** By resource. */
  ofContainer(podUid: string, container: string): ReadonlyMap<string, Holding> {
    return this.#pods.get(podUid)?.get(container) ?? NOTHING
  }

  holdsAny(podUid: string): boolean {
    return this.#pods.has(podUid)
  }

  podUids(): readonly string[] {
    return [...this.#pods.keys()]
  }

  /** The entries. Each object is immutable and is replaced when its entry changes, so callers may cache by identity. */
  entries(): readonly LedgerEntry[] {
    return [...this.#pods.keys()].flatMap((podUid) => this.ofPod(podUid))
  }

  ofPod(podUid: string): readonly LedgerEntry[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])].flatMap((resources) => [...resources.values()])
  }

  /** Reserves devices for a pod before the plugin is called. False, without any change, if another pod has one of them. */
  reserve(podUid: string, resource: string, ids: readonly string[]): boolean {
    const owners = this.#owners.get(resource) ?? new Map<string, string>()
    if (ids.some((id) => (owners.get(id) ?? podUid) !== podUid)) return false
    this.#owners.set(resource, owners)
    for (const id of ids) owners.set(id, podUid)
    return true
  }

  /** Records the devices of a container. False, without any change, if another pod has one of them. */
  insert({ podUid, container, resource, byNuma, response }: LedgerEntry): boolean {
    if (!this.reserve(podUid, resource, idsOf({ byNuma }))) return false
    const containers = this.#pods.get(podUid) ?? new Map<string, Map<string, LedgerEntry>>()
    const resources = containers.get(container) ?? new Map<string, LedgerEntry>()
    resources.set(resource, { podUid, container, resource, byNuma, response })
    containers.set(container, resources)
    this.#pods.set(podUid, containers)
    return true
  }

  /** Releases all devices and reservations of a pod. True if there were any. */
  release(podUid: string): boolean {
    const held = this.#pods.delete(podUid)
    let freed = false
    for (const [resource, owners] of this.#owners) {
      for (const [id, owner] of owners) if (owner === podUid && owners.delete(id)) freed = true
      if (owners.size === 0) this.#owners.delete(resource)
    }
    return held || freed
  }
}

const NOBODY: ReadonlyMap<string, string> = new Map()
const NOTHING: ReadonlyMap<string, Holding> = new Map()
