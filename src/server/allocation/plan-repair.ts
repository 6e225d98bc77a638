import type { KubeObject } from '../../machinery/object.ts'
import { specOf } from '../../resources/core/services/service-fields.ts'
import type { Allocation } from './allocations.ts'
import { nodePortsOf } from './node-ports.ts'
import { addressesOf, parentOf } from './service-allocator.ts'

/** What is there. */
export interface Books {
  readonly services: readonly KubeObject[]
  readonly addresses: readonly KubeObject[]
  readonly nodePorts: readonly Allocation[]
}

/** What must be written for the books to be right. */
export interface Repair {
  /** Services have them, and nobody wrote it down. */
  readonly ports: readonly { readonly port: string; readonly service: KubeObject }[]
  readonly ips: readonly { readonly ip: string; readonly service: KubeObject }[]
  /** Written down, and no service has them: whoever took them died before it was done, or is not done yet. */
  readonly leakedPorts: readonly Allocation[]
  readonly leakedIps: readonly string[]
}

const OURS = 'ipallocator.k8s.io'

/** Holds what is written down against the services. Pure. */
export function planRepair({ services, addresses, nodePorts }: Books): Repair {
  const allocated = new Map(nodePorts.map((a) => [a.name, a.owner]))
  const byIp = new Map(addresses.map((a) => [a.metadata.name ?? '', a]))
  const held = new Set<string>()
  const ports: { port: string; service: KubeObject }[] = []
  const ips: { ip: string; service: KubeObject }[] = []
  for (const service of services) {
    const spec = specOf(service)
    for (const port of new Set(nodePortsOf(spec).map(String))) {
      held.add(`${port} ${service.metadata.uid}`)
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
    leakedPorts: nodePorts.filter((a) => !held.has(`${a.name} ${a.owner}`)),
    leakedIps: addresses
      .filter((a) => a.metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === OURS && !held.has(`${a.metadata.name} ${parentOf(a)}`))
      .map((a) => a.metadata.name ?? ''),
  }
}
