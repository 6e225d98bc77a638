import { semanticEqual } from '../../machinery/equal.ts'
import type { EndpointPort, EndpointSlice } from '../../resources/types/discovery.ts'
import { sortByHash } from './sort-by-hash.ts'

/** The ports of a slice in their order: which one comes first says nothing. */
export const sortedPorts = (ports: readonly EndpointPort[]): readonly EndpointPort[] => sortByHash(ports, 'discovery_v1.EndpointPort')

/** Whether the slice has these sorted ports, in any order. */
export function hasPorts(slice: EndpointSlice, sorted: readonly EndpointPort[]): boolean {
  // A slice without ports has `null`.
  const ports = slice.ports ?? []
  return ports.length === sorted.length && semanticEqual(sortedPorts(ports), sorted)
}
