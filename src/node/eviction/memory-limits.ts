import { tryParseQuantity } from '../../machinery/quantity.ts'
import type { Pod } from '../pod/pod-types.ts'
import type { ContainerStatus } from '../runtime/runtime.ts'
import type { PodUse } from './usage.ts'

interface Limits {
  readonly limits?: { readonly memory?: string }
}

const memoryOf = (resources: unknown): number | undefined => {
  const bytes = tryParseQuantity((resources as Limits | undefined)?.limits?.memory ?? '')?.value()
  return bytes === undefined || bytes <= 0 ? undefined : bytes
}

/** Whether any limit of the pod may be passed: by what its spec says. Cheap. */
export function mayPassMemoryLimit({ spec }: Pod, { containers }: PodUse): boolean {
  const limits = new Map([...spec.containers, ...(spec.initContainers ?? [])].map((c) => [c.name, memoryOf(c.resources)]))
  if (containers.some(({ name, memoryBytes }) => memoryBytes > (limits.get(name) ?? Number.POSITIVE_INFINITY))) return true
  return sum(containers) > (podLimitOf(spec) ?? Number.POSITIVE_INFINITY)
}

/**
 * The containers that the kernel kills: those that hold more than they may, by the limits that hold now; and where the pod as a whole does, the one that holds most.
 * Pure. The ids of containers.
 */
export function overMemoryLimit({ spec }: Pod, use: PodUse, running: readonly ContainerStatus[]): readonly string[] {
  const held = new Map(use.containers.map((c) => [c.name, c.memoryBytes]))
  const over = running.filter(({ name, resources }) => {
    const limit = resources.memoryLimitBytes
    return limit !== undefined && limit > 0 && (held.get(name) ?? 0) > limit
  })
  if (over.length > 0) return over.map((c) => c.id)
  if (sum(use.containers) <= (podLimitOf(spec) ?? Number.POSITIVE_INFINITY)) return []
  const most = running.toSorted((a, b) => (held.get(b.name) ?? 0) - (held.get(a.name) ?? 0))[0]
  return most === undefined ? [] : [most.id]
}

const sum = (containers: PodUse['containers']) => containers.reduce((total, c) => total + c.memoryBytes, 0)
const podLimitOf = (spec: Pod['spec']) => memoryOf((spec as { readonly resources?: unknown }).resources)
