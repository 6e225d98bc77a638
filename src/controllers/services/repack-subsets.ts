import { byText } from '../../base/by-text.ts'
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../resources/types/core.ts'
import { withoutZeros } from '../pods/pod-state.ts'
import { sortByHash } from './sort-by-hash.ts'

/** A pod's address, and the ports that it offers. */
export interface OfferedAddress {
  readonly address: EndpointAddress
  readonly ready: boolean
  /** Empty only for a headless service without ports. */
  readonly ports: readonly EndpointPort[]
  /** Where equal ports of two subsets are not the same: which subset it is from. */
  readonly subset?: number
}

/**
 * The fewest subsets that hold these addresses, as upstream: ports that the same addresses offer are in one subset, so an address is in
 * several if it offers more ports than another one. Addresses are in the order of their text; ports and subsets in that of their hashes.
 */
export function repackSubsets(offered: readonly OfferedAddress[]): readonly EndpointSubset[] {
  const sorted = offered.toSorted((a, b) => byText(a.address.ip, b.address.ip) || byText(uidOf(a), uidOf(b)))
  const pairs = sorted.flatMap((offer) => (offer.ports.length === 0 ? [undefined] : offer.ports).map((port) => ({ port, offer })))
  const byPort = Map.groupBy(pairs, ({ port, offer }) => JSON.stringify([port, offer.subset]))
  const byAddresses = Map.groupBy(byPort.values(), (of) =>
    JSON.stringify(of.map(({ offer }) => [offer.address.ip, uidOf(offer), offer.ready])),
  )
  const subsets = [...byAddresses.values()].map((ports) => {
    const offers = (ports[0] ?? []).map(({ offer }) => offer)
    return withoutZeros({
      addresses: offers.filter((o) => o.ready).map((o) => o.address),
      notReadyAddresses: offers.filter((o) => !o.ready).map((o) => o.address),
      ports: sortByHash(
        ports.flatMap(([pair]) => pair?.port ?? []),
        'EndpointPort',
      ),
    })
  })
  return sortByHash(subsets, 'EndpointSubset')
}

/**
 * What each subset offers, port by port: an address that comes twice is the first one, and not ready if it is not ready once. A port with
 * an `appProtocol` is another one in each subset, as upstream, where that is a pointer.
 */
export function offersOf(subsets: readonly EndpointSubset[]): readonly OfferedAddress[] {
  const known = new Map<string, EndpointAddress>()
  const offers = new Map<string, OfferedAddress>()
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries())
    for (const port of ports.length === 0 ? [undefined] : ports.map(plainPort))
      for (const [list, ready] of [[addresses, true] as const, [notReadyAddresses, false] as const])
        for (const address of list) {
          const host = JSON.stringify([address.ip, address.targetRef?.uid ?? ''])
          const first = known.get(host) ?? address
          known.set(host, first)
          const subset = port?.appProtocol === undefined ? {} : { subset: i }
          const place = JSON.stringify([host, port, subset])
          if (!ready || !offers.has(place)) offers.set(place, { address: first, ready, ports: port === undefined ? [] : [port], ...subset })
        }
  return [...offers.values()]
}

const plainPort = ({ name, appProtocol, port, protocol = 'TCP' }: EndpointPort): EndpointPort => ({
  ...withoutZeros({ name, appProtocol }),
  port,
  protocol,
})

const uidOf = ({ address }: OfferedAddress) => address.targetRef?.uid ?? ''
