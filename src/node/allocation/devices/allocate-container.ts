import { messageOf } from '../../../base/message-of.ts'
import type { ContainerAllocateResponse } from '../../../sdk/node-api/device-plugin.ts'
import { type Container, containersOf, type Pod } from '../../types/pod.ts'
import { responseFault } from './allocation-response.ts'
import { type Affinity, AllocationError, chooseDevices } from './choose-devices.ts'
import { type DeviceLedger, idsOf, NO_NUMA } from './device-ledger.ts'
import type { LivePlugin, ResourcePool } from './resource-pool.ts'
import { type DeviceUser, wantedDevices } from './wanted-devices.ts'

export interface AllocatorDeps {
  readonly ledger: DeviceLedger
  readonly pool: (resource: string) => ResourcePool | undefined
  /** Writes the checkpoint; throws if it cannot be written. */
  readonly save: () => void
  readonly warn: (reason: string, message: string) => void
  readonly allocated: (resource: string, sinceMs: number) => void
  readonly now: () => number
}

export interface AllocateRequest extends DeviceUser {
  readonly pod: Pod
  /** The devices that earlier init containers lend, by resource; this call updates it. */
  readonly reuse: Map<string, Set<string>>
  readonly affinity: Affinity
}

/**
 * Allocates a container's devices: reserves them, calls the plugin, and records its response. Devices that the container holds already are
 * kept. Rejects with the kubelet's message; the caller then releases the reservation.
 */
export async function allocateContainer(deps: AllocatorDeps, request: AllocateRequest, signal: AbortSignal): Promise<void> {
  const { pod, container, after, reuse } = request
  const podUid = pod.metadata.uid ?? ''
  let given = false
  for (const [resource, count] of wantedDevices(pod, container)) {
    if (deps.pool(resource) === undefined && !deps.ledger.knowsResource(resource)) continue
    given = (await allocateResource(deps, request, { resource, count }, signal)) || given
    const held = deps.ledger.holding(podUid, container.name, resource)
    const lent = reuse.get(resource) ?? new Set<string>()
    reuse.set(resource, lent)
    for (const id of held === undefined ? [] : idsOf(held)) {
      if (after === 'lends') lent.add(id)
      else lent.delete(id)
    }
  }
  if (given) deps.save()
}

interface DeviceRequest {
  readonly resource: string
  readonly count: number
}

/** True if the container got devices that it did not hold before. */
async function allocateResource(
  deps: AllocatorDeps,
  request: AllocateRequest,
  { resource, count }: DeviceRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { pod, container, reuse, affinity } = request
  const podUid = pod.metadata.uid ?? ''
  const held = deps.ledger.holding(podUid, container.name, resource)
  const pool = deps.pool(resource)
  const ids = held === undefined ? [] : idsOf(held)
  if (held !== undefined && ids.length !== count) {
    const text = `changed request for resource "${resource}" from ${ids.length} to ${count}`
    throw new AllocationError(`pod "${podUid}" container "${container.name}" ${text}`)
  }
  if (pool === undefined) throw new AllocationError(`cannot allocate unregistered device ${resource}`)
  const healthy = pool.healthy
  if (healthy.length === 0) throw new AllocationError(`no healthy devices present; cannot allocate unhealthy devices ${resource}`)
  if (ids.some((id) => pool.devices.get(id)?.healthy !== true)) {
    throw new AllocationError(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`)
  }
  if (held !== undefined) return false
  const plugin = pool.plugin
  if (plugin === undefined) throw new AllocationError(`unknown Device Plugin ${resource}`)
  // If the checkpoint was lost, only the main containers' devices are known; init containers, which run before them, reuse those.
  const later = request.after === 'lends' ? pod.spec.containers.flatMap((c) => heldIds(deps.ledger, podUid, c.name, resource)) : []
  const reusable = [...new Set([...(reuse.get(resource) ?? []), ...later])]
  const choice = { resource, needed: count, reusable, healthy, owners: deps.ledger.owners(resource), affinity }
  const chosen = await chooseDevices(choice, async (question) => {
    if (!plugin.options.getPreferredAllocationAvailable) return []
    return plugin.connection.preferred(question, signal).catch((error: unknown) => {
      throw new AllocationError(`device plugin GetPreferredAllocation rpc failed with err: ${messageOf(error)}`)
    })
  })
  if (!deps.ledger.reserve(podUid, resource, chosen))
    throw new AllocationError(`devices of ${resource} were given to another pod meanwhile`)
  const response = await askPlugin(deps, { resource, plugin }, chosen, signal)
  const byNuma = placesOf(pool, chosen)
  if (!deps.ledger.insert({ podUid, container: container.name, resource, byNuma, response }))
    throw new AllocationError(`devices of ${resource} were given to another pod meanwhile`)
  return true
}

function heldIds(ledger: DeviceLedger, podUid: string, container: string, resource: string): readonly string[] {
  const held = ledger.holding(podUid, container, resource)
  return held === undefined ? [] : idsOf(held)
}

/** The plugin's response for these devices. Rejects if it is invalid. */
async function askPlugin(
  deps: AllocatorDeps,
  { resource, plugin }: { readonly resource: string; readonly plugin: LivePlugin },
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ContainerAllocateResponse> {
  const sinceMs = deps.now()
  const [response] = await plugin.connection.allocate(ids, signal).catch((error: unknown) => {
    if (!signal.aborted) deps.warn('DevicePluginFailed', `the plugin of ${resource} does not allocate: ${messageOf(error)}`)
    throw error
  })
  deps.allocated(resource, sinceMs)
  if (response === undefined)
    throw new AllocationError(
      'no containers return in allocation response &AllocateResponse{ContainerResponses:[]*ContainerAllocateResponse{},}',
    )
  const fault = responseFault(response)
  if (fault === undefined) return response
  deps.warn('DevicePluginInvalid', `the plugin of ${resource} answers an allocation with ${fault}`)
  throw new AllocationError(`the plugin of ${resource} answered with ${fault}`)
}

function placesOf(pool: ResourcePool, ids: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const places = new Map<number, string[]>()
  for (const id of ids) {
    const near = pool.devices.get(id)?.numaNodes ?? []
    for (const node of near.length === 0 ? [NO_NUMA] : near) {
      const there = places.get(node) ?? []
      places.set(node, there)
      there.push(id)
    }
  }
  return places
}

/**
 * The last step before a container is created: calls `PreStartContainer` of plugins that want it, and repeats `Allocate` where the response
 * was lost.
 */
export async function startContainerDevices(
  deps: AllocatorDeps,
  { pod, container }: { readonly pod: Pod; readonly container: Container },
  signal: AbortSignal,
): Promise<void> {
  const podUid = pod.metadata.uid ?? ''
  for (const [resource, holding] of deps.ledger.ofContainer(podUid, container.name)) {
    const pool = deps.pool(resource)
    const ids = idsOf(holding)
    if (holding.response === undefined) {
      const plugin = pool?.plugin
      if (plugin === undefined) throw new AllocationError(`unknown Device Plugin ${resource}`)
      const response = await askPlugin(deps, { resource, plugin }, ids, signal)
      deps.ledger.insert({ podUid, container: container.name, resource, byNuma: holding.byNuma, response })
      deps.save()
    }
    if (pool?.options?.preStartRequired === true) await preStart(pool, ids, signal)
  }
}

async function preStart(pool: ResourcePool, ids: readonly string[], signal: AbortSignal): Promise<void> {
  try {
    if (pool.plugin === undefined) throw new Error(`endpoint of ${pool.name} has been stopped`)
    await pool.plugin.connection.preStart(ids, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw new AllocationError(`device plugin PreStartContainer rpc failed with err: ${messageOf(error)}`)
  }
}

/** After a lost checkpoint, restores a running pod's devices from its own status. True if there were any. */
export function adoptFromStatus(pod: Pod, ledger: DeviceLedger): boolean {
  const podUid = pod.metadata.uid ?? ''
  if (ledger.holdsAny(podUid)) return false
  const { containerStatuses: statuses = [] } = pod.status
  let adopted = false
  for (const { container } of containersOf(pod)) {
    const status = statuses.find((s) => s.name === container.name)
    for (const { name: resource, resources = [] } of status?.allocatedResourcesStatus ?? []) {
      const byNuma = new Map([[NO_NUMA, resources.map((r) => r.resourceID)]])
      if (ledger.insert({ podUid, container: container.name, resource, byNuma, response: undefined })) adopted = true
    }
  }
  return adopted
}
