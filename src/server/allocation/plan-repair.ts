import type { Service } from '../../resources/types/core.ts'
import type { IPAddress } from '../../resources/types/networking.ts'
import type { Allocation } from './allocations.ts'
import { nodePortsOf } from './node-ports.ts'
import { addressesOf, parentOf } from './service-allocator.ts'

/** The stored objects and allocations. */
export interface StoredAllocations {
  readonly services: readonly Service[]
  readonly addresses: readonly IPAddress[]
  readonly nodePorts: readonly Allocation[]
}

/** The writes that make the allocations match the services. */
export interface Repair {
  /** Used by services, without an allocation. */
  readonly ports: readonly { readonly port: string; readonly service: Service }[]
  readonly ips: readonly { readonly ip: string; readonly service: Service }[]
  /** Allocated, but used by no service: the write that allocated them failed, or is still in progress. */
  readonly leakedPorts: readonly Allocation[]
  readonly leakedIps: readonly string[]
}

const OURS = 'ipallocator.k8s.io'

/** Compares the allocations with the services. Pure. */
export function planRepair({ services, addresses, nodePorts }: StoredAllocations): Repair {
  const allocated = new Set(nodePorts.map((a) => a.name))
  const byIp = new Map(addresses.map((a) => [a.metadata.name ?? '', a]))
  const held = new Set<string>()
  const ports: { port: string; service: Service }[] = []
  const ips: { ip: string; service: Service }[] = []
  for (const service of services) {
    const spec = service.spec ?? {}
    for (const port of new Set(nodePortsOf(spec).map(String))) {
      held.add(port).add(`${port} ${service.metadata.uid}`)
      if (!allocated.has(port)) ports.push({ port, service })
    }
    for (const ip of addressesOf(spec)) {
      held.add(`${ip} ${service.metadata.namespace}/${service.metadata.name}`)
      if (!byIp.has(ip)) ips.push({ ip, service })
    }
  }
  return {
    ports,
    ips,
    leakedPorts: nodePorts.filter(({ name, owner }) => !held.has(owner === undefined ? name : `${name} ${owner}`)),
    leakedIps: addresses
      .filter((a) => a.metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === OURS && !held.has(`${a.metadata.name} ${parentOf(a)}`))
      .map((a) => a.metadata.name ?? ''),
  }
}
