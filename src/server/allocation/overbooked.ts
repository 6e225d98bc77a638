import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import { clash, hostPortsOf } from '../../resources/pod/host-ports.ts'
import { podRequests } from '../../resources/pod/pod-requests.ts'
import type { Node, Pod } from '../../resources/types/core.ts'

/** What a node lacks for a pod in addition to its bound pods, as text; empty if it has room. Pure. */
export function overbooked(pod: Pod, node: Node, bound: readonly Pod[]): string[] {
  const allocatable = node.status?.allocatable ?? {}
  const offered = (name: string) => (Object.hasOwn(allocatable, name) ? parseQuantity(allocatable[name] ?? '0') : Quantity.zero)
  const faults: string[] = []
  const room = offered('pods')
  if (room.compare(parseQuantity(bound.length + 1)) < 0) faults.push(`pods: ${bound.length} of ${room} are taken`)
  const held = bound.map(requestsOf)
  for (const [name, wanted] of requestsOf(pod)) {
    if (wanted.isZero()) continue
    const used = held.reduce((sum, totals) => sum.add(totals.get(name) ?? Quantity.zero), Quantity.zero)
    if (used.add(wanted).compare(offered(name)) > 0) faults.push(`${name}: ${used} of ${offered(name)} are taken, ${wanted} are wanted`)
  }
  const taken = bound.flatMap((other) => hostPortsOf(other.spec))
  for (const port of hostPortsOf(pod.spec)) {
    if (taken.some((other) => clash(port, other))) faults.push(`host port ${port.protocol}/${port.port} is taken`)
  }
  return faults
}

/** Requests that a resource claim provides do not count against the node. */
function requestsOf(pod: Pod): ReadonlyMap<string, Quantity> {
  const requests = podRequests(pod.spec, { status: pod.status })
  const byClaim = pod.status?.extendedResourceClaimStatus?.requestMappings ?? []
  for (const { resourceName } of byClaim) requests.delete(resourceName)
  return requests
}
