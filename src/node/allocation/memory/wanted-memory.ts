import { parseQuantity } from '../../../machinery/quantity.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { getsItsOwn } from '../hints/pod-quality.ts'

const isMemory = (resource: string): boolean => resource === 'memory' || resource.startsWith('hugepages-')

/** The memory that a container of a Guaranteed pod requests, by kind, in bytes. */
export function wantedMemory(pod: Pod, container: Container): ReadonlyMap<string, number> {
  if (!getsItsOwn(pod)) return new Map()
  const requests = Object.entries(container.resources?.requests ?? {}).filter(([resource]) => isMemory(resource))
  return new Map(requests.map(([resource, amount]) => [resource, parseQuantity(amount).value()]))
}

/** The memory that all containers of a pod need at once (KEP-753). */
export function wantedByPod(pod: Pod): ReadonlyMap<string, number> {
  const sidecars = new Map<string, number>()
  const inits = new Map<string, number>()
  const total = new Map<string, number>()
  const add = (into: Map<string, number>, more: ReadonlyMap<string, number>) => {
    for (const [type, size] of more) into.set(type, (into.get(type) ?? 0) + size)
  }
  for (const init of pod.spec.initContainers ?? []) {
    const wanted = wantedMemory(pod, init)
    if (init.restartPolicy === 'Always') add(sidecars, wanted)
    else for (const [type, size] of wanted) inits.set(type, Math.max(inits.get(type) ?? 0, (sidecars.get(type) ?? 0) + size))
  }
  for (const container of pod.spec.containers ?? []) add(total, wantedMemory(pod, container))
  // As in the kubelet, a kind that no main container requests is ignored.
  for (const [type, size] of total) total.set(type, Math.max(size + (sidecars.get(type) ?? 0), inits.get(type) ?? 0))
  return total
}
