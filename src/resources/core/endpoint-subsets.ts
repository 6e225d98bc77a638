import { byText } from '../../base/by-text.ts'
import { StatusError } from '../../machinery/status-error.ts'
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
 * Most addresses of the canonical form: some megabytes. All pairs of the addresses and ports of a small object may be hundreds of millions.
 */
const MOST_ADDRESSES = 500_000

/** Ports of the same subsets. */
interface PortGroup {
  readonly ports: SubsetPort[]
  readonly subsets: readonly Subset[]
}

/**
 * The canonical form of endpoints: each address once, ports with the same addresses together, all sorted. An address that is ready in one
 * subset and not ready in another for the same port is not ready. @throws {StatusError} if the form would be too large to be stored
 */
export function repackSubsets(subsets: readonly Subset[]): Subset[] {
  const groups = portGroups(subsets)
  if (groups.reduce((sum, group) => sum + addressesOf(group), 0) > MOST_ADDRESSES)
    throw new StatusError({ code: 500, message: 'etcdserver: request is too large' })
  const joined = new Map<string, { ports: SubsetPort[]; hosts: Map<string, Host> }>()
  for (const { ports, subsets: holders } of groups) {
    const hosts = hostsOf(holders)
    const hostsKey = JSON.stringify([...hosts].map(([k, h]) => [k, h.ready]).sort())
    const entry = joined.get(hostsKey)
    if (entry === undefined) joined.set(hostsKey, { ports, hosts })
    else for (const port of ports) entry.ports.push(port)
  }
  return [...joined.values()].map(toSubset).sort((a, b) => byText(JSON.stringify(a), JSON.stringify(b)))
}

/** A subset without ports is a group without ports: its addresses alone. */
function portGroups(subsets: readonly Subset[]): readonly PortGroup[] {
  const holders = new Map<string, { port: SubsetPort | undefined; subsets: Set<number> }>()
  for (const [i, subset] of subsets.entries()) {
    for (const port of subset.ports?.length ? subset.ports : [undefined]) {
      const portKey = JSON.stringify(port === undefined ? null : [port.name ?? '', port.protocol ?? '', port.port ?? 0, port.appProtocol])
      const known = holders.get(portKey)
      if (known === undefined) holders.set(portKey, { port, subsets: new Set([i]) })
      else known.subsets.add(i)
    }
  }
  const groups = new Map<string, PortGroup>()
  for (const { port, subsets: numbers } of holders.values()) {
    const groupKey = `${port === undefined ? 'none ' : ''}${[...numbers].join()}`
    const group = groups.get(groupKey) ?? { ports: [], subsets: [...numbers].map((i) => subsets[i] ?? {}) }
    groups.set(groupKey, group)
    if (port !== undefined) group.ports.push(port)
  }
  return [...groups.values()]
}

const addressesOf = ({ subsets }: PortGroup) =>
  subsets.reduce((sum, subset) => sum + (subset.addresses?.length ?? 0) + (subset.notReadyAddresses?.length ?? 0), 0)

function hostsOf(subsets: readonly Subset[]): Map<string, Host> {
  const hosts = new Map<string, Host>()
  for (const subset of subsets) {
    for (const address of subset.addresses ?? []) addHost(hosts, address, true)
    for (const address of subset.notReadyAddresses ?? []) addHost(hosts, address, false)
  }
  return hosts
}

const addressKey = (a: SubsetAddress) => `${a.ip ?? ''}\n${a.targetRef?.uid ?? ''}`

function addHost(hosts: Map<string, Host>, address: SubsetAddress, ready: boolean): void {
  const known = hosts.get(addressKey(address))
  if (known) known.ready = known.ready && ready
  else hosts.set(addressKey(address), { address, ready })
}

function toSubset({ ports, hosts }: { ports: SubsetPort[]; hosts: Map<string, Host> }): Subset {
  const all = [...hosts.values()].sort((a, b) => byText(addressKey(a.address), addressKey(b.address)))
  const ready = all.filter((h) => h.ready).map((h) => h.address)
  const notReady = all.filter((h) => !h.ready).map((h) => h.address)
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && { ports: ports.sort((a, b) => byText(a.name ?? '', b.name ?? '') || (a.port ?? 0) - (b.port ?? 0)) }),
  }
}
