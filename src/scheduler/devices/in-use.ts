import { parseQuantity } from '../../machinery/quantity.ts'
import type { AllocationResult, DeviceRequestAllocationResult } from '../../resources/types/resource.ts'
import { type Consumed, sum } from './capacity.ts'

/** What allocations have taken, by `driver/pool/device`. Admin access takes nothing. */
export interface InUse {
  readonly devices: ReadonlySet<string>
  /** Devices that several claims share, with what is taken of them. */
  readonly shared: ReadonlyMap<string, Consumed>
}

export const deviceId = (d: Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>) => `${d.driver}/${d.pool}/${d.device}`

export function inUse(allocations: Iterable<AllocationResult | undefined>): InUse {
  const devices = new Set<string>()
  const shared = new Map<string, Consumed>()
  for (const allocation of allocations) {
    for (const result of allocation?.devices?.results ?? []) {
      if (result.adminAccess === true) continue
      const id = deviceId(result)
      if (result.shareID === undefined) {
        devices.add(id)
        continue
      }
      const consumed = new Map(Object.entries(result.consumedCapacity ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]))
      shared.set(id, sum(shared.get(id) ?? new Map(), consumed))
    }
  }
  return { devices, shared }
}

/** Whether the same is taken of the same devices. */
export function isSameUse(a: InUse, b: InUse): boolean {
  if (a.devices.size !== b.devices.size || a.shared.size !== b.shared.size || !a.devices.isSubsetOf(b.devices)) return false
  for (const [id, consumed] of a.shared) {
    const other = b.shared.get(id)
    if (other === undefined || !isSameConsumption(consumed, other)) return false
  }
  return true
}

const isSameConsumption = (a: Consumed, b: Consumed) =>
  a.size === b.size &&
  [...a].every(([name, amount]) => {
    const other = b.get(name)
    return other !== undefined && amount.compare(other) === 0
  })
