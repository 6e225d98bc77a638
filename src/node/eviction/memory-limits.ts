import { tryParseQuantity } from '../../machinery/quantity.ts'
import type { ContainerStatus } from '../runtime/runtime.ts'
import type { Container, Pod } from '../types/pod.ts'
import { memoryOf } from './rank-pods.ts'
import type { PodUse } from './usage.ts'

/** Infinite without a limit. */
const limitOf = (resources: Container['resources']): number => {
  const bytes = tryParseQuantity(resources?.limits?.memory ?? '')?.value() ?? 0
  return bytes <= 0 ? Number.POSITIVE_INFINITY : bytes
}

/** Whether the pod may exceed any memory limit, by its spec. Cheap. */
export function mayPassMemoryLimit({ spec }: Pod, use: PodUse): boolean {
  const limits = new Map([...spec.containers, ...(spec.initContainers ?? [])].map((c) => [c.name, limitOf(c.resources)]))
  if (use.containers.some(({ name, memoryBytes }) => memoryBytes > (limits.get(name) ?? Number.POSITIVE_INFINITY))) return true
  return memoryOf(use) > limitOf(spec.resources)
}

/**
 * The ids of the containers that the kernel OOM-kills: those that exceed their own limits, and if the pod as a whole exceeds its limit, the
 * largest one. Pure.
 */
export function overMemoryLimit({ spec }: Pod, use: PodUse, running: readonly ContainerStatus[]): readonly string[] {
  const held = new Map(use.containers.map((c) => [c.name, c.memoryBytes]))
  const over = running.filter(({ name, resources }) => {
    const limit = resources.memoryLimitBytes
    return limit !== undefined && limit > 0 && (held.get(name) ?? 0) > limit
  })
  if (over.length > 0) return over.map((c) => c.id)
  if (memoryOf(use) <= limitOf(spec.resources)) return []
  const most = running.toSorted((a, b) => (held.get(b.name) ?? 0) - (held.get(a.name) ?? 0))[0]
  return most === undefined ? [] : [most.id]
}
