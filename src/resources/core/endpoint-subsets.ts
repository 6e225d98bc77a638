import type * as core from '../types/core.ts'
import type { Unchecked } from '../unchecked.ts'
export type SubsetAddress = Unchecked<core.EndpointAddress>
export type SubsetPort = Unchecked<core.EndpointPort>
export type Subset = Unchecked<core.EndpointSubset>

interface Host {
  readonly address: SubsetAddress
  ready: boolean
}

/**
 * The canonical form of endpoints: each address once, ports with the same addresses together, all sorted. An address that is ready in one
 * subset and not ready in another for the same port is not ready.
 */
export function repackSubsets(subsets: readonly Subset[]): Subset[] {
  const hostsOf = new Map<string, { port: SubsetPort | undefined; hosts: Map<string, Host> }>()
  for (const subset of subsets) {
    for (const port of subset.ports?.length ? subset.ports : [undefined]) {
      const portKey = JSON.stringify(port === undefined ? null : [port.name ?? '', port.protocol ?? '', port.port ?? 0, port.appProtocol])
      const entry = hostsOf.get(portKey) ?? { port, hosts: new Map<string, Host>() }
      hostsOf.set(portKey, entry)
      for (const address of subset.addresses ?? []) addHost(entry.hosts, address, true)
      for (const address of subset.notReadyAddresses ?? []) addHost(entry.hosts, address, false)
    }
  }
  const joined = new Map<string, { ports: SubsetPort[]; hosts: Map<string, Host> }>()
  for (const { port, hosts } of hostsOf.values()) {
    const hostsKey = JSON.stringify([...hosts].map(([k, h]) => [k, h.ready]).sort())
    const entry = joined.get(hostsKey) ?? { ports: [], hosts }
    joined.set(hostsKey, entry)
    if (port !== undefined) entry.ports.push(port)
  }
  return [...joined.values()].map(toSubset).sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)))
}

const addressKey = (a: SubsetAddress) => `${a.ip ?? ''}\n${a.targetRef?.uid ?? ''}`

function addHost(hosts: Map<string, Host>, address: SubsetAddress, ready: boolean): void {
  const known = hosts.get(addressKey(address))
  if (known) known.ready = known.ready && ready
  else hosts.set(addressKey(address), { address, ready })
}

function toSubset({ ports, hosts }: { ports: SubsetPort[]; hosts: Map<string, Host> }): Subset {
  const all = [...hosts.values()].sort((a, b) => compare(addressKey(a.address), addressKey(b.address)))
  const ready = all.filter((h) => h.ready).map((h) => h.address)
  const notReady = all.filter((h) => !h.ready).map((h) => h.address)
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && { ports: ports.sort((a, b) => compare(a.name ?? '', b.name ?? '') || (a.port ?? 0) - (b.port ?? 0)) }),
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
