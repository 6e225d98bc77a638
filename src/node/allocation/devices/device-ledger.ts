import type { ContainerAllocateResponse } from '../../../sdk/node-api/device-plugin.ts'

/** Devices of one resource that a container holds. */
export interface Holding {
  /** Ids by the NUMA node that they are near to; -1: none is known. A device that is near to several stands under each. */
  readonly byNuma: ReadonlyMap<number, readonly string[]>
  /** What the container gets with them; undefined: it is not known any more, and its plugin has to be asked again. */
  readonly response: ContainerAllocateResponse | undefined
}

/** One line of the ledger. */
export interface LedgerEntry extends Holding {
  readonly podUid: string
  readonly container: string
  readonly resource: string
}

/** NUMA node of devices that are near to none. */
export const NO_NUMA = -1

/** The devices of a holding, each once. */
export const idsOf = (holding: Pick<Holding, 'byNuma'>): readonly string[] => [...new Set([...holding.byNuma.values()].flat())]

/**
 * Which container holds which devices. Invariant: a device belongs to one pod at most. Containers of one pod may share it: its init
 * containers lend theirs to those that start after them.
 */
export class DeviceLedger {
  /** Pod uid, container, resource. */
  readonly #pods = new Map<string, Map<string, Map<string, LedgerEntry>>>()
  /** Resource, device id: the uid of the pod that holds it, or is about to. */
  readonly #owners = new Map<string, Map<string, string>>()

  /** The owners of a resource's devices, those included that are about to be given out. */
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

  /** Each object stands for what it says as long as that stands: who has seen it has seen it whole. */
  entries(): readonly LedgerEntry[] {
    return [...this.#pods.keys()].flatMap((podUid) => this.ofPod(podUid))
  }

  ofPod(podUid: string): readonly LedgerEntry[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])].flatMap((resources) => [...resources.values()])
  }

  /** Sets devices aside for a pod while its plugin is asked. False, and nothing is set aside, where another pod has one of them. */
  reserve(podUid: string, resource: string, ids: readonly string[]): boolean {
    const owners = this.#owners.get(resource) ?? new Map<string, string>()
    if (ids.some((id) => (owners.get(id) ?? podUid) !== podUid)) return false
    this.#owners.set(resource, owners)
    for (const id of ids) owners.set(id, podUid)
    return true
  }

  /** Writes down what a container holds. False, and nothing is written, where another pod has one of the devices. */
  insert({ podUid, container, resource, byNuma, response }: LedgerEntry): boolean {
    if (!this.reserve(podUid, resource, idsOf({ byNuma }))) return false
    const containers = this.#pods.get(podUid) ?? new Map<string, Map<string, LedgerEntry>>()
    const resources = containers.get(container) ?? new Map<string, LedgerEntry>()
    resources.set(resource, { podUid, container, resource, byNuma, response })
    containers.set(container, resources)
    this.#pods.set(podUid, containers)
    return true
  }

  /** Frees all that the pod holds, and all that was set aside for it. True when that was anything. */
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
