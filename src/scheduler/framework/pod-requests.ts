import type { Container, Pod, ResourceList } from '../objects.ts'
import { amountOf } from './amounts.ts'

/** Amounts by resource name. */
export type Amounts = Map<string, number>

/** What a container that says nothing is taken to use when nodes are scored. */
export const DEFAULT_CPU_MILLIS = 100
export const DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024

export interface RequestOptions {
  /** Count containers without a cpu or memory request as using the defaults above. */
  readonly nonMissing?: boolean
}

/**
 * What a pod asks of its node: containers add up, an init container counts only where it alone asks for more, a sidecar runs beside all
 * that follow it, pod-level requests replace the sum, overhead comes on top.
 */
export function podRequests(pod: Readonly<Pod>, options: RequestOptions = {}): Amounts {
  const total: Amounts = new Map()
  for (const container of pod.spec.containers) add(total, containerRequests(pod, container, options))
  const sidecars: Amounts = new Map()
  const largestInit: Amounts = new Map()
  for (const container of pod.spec.initContainers ?? []) {
    const own = containerRequests(pod, container, options)
    if (container.restartPolicy === 'Always') {
      add(total, own)
      add(sidecars, own)
      raise(largestInit, sidecars)
    } else {
      add(own, sidecars)
      raise(largestInit, own)
    }
  }
  raise(total, largestInit)
  for (const [name, quantity] of Object.entries(pod.spec.resources?.requests ?? {})) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) total.set(name, amountOf(name, quantity))
  }
  add(total, amounts(pod.spec.overhead))
  return total
}

function containerRequests(pod: Readonly<Pod>, container: Readonly<Container>, options: RequestOptions): Amounts {
  const own = amounts(container.resources?.requests)
  const status = pod.status?.containerStatuses?.find((s) => s.name === container.name)
  // A pod that is being resized in place holds the largest of what was asked, allotted and used.
  if (status !== undefined) {
    raise(own, amounts(status.allocatedResources))
    raise(own, amounts(status.resources?.requests))
  }
  if (options.nonMissing) {
    if (!own.has('cpu')) own.set('cpu', DEFAULT_CPU_MILLIS)
    if (!own.has('memory')) own.set('memory', DEFAULT_MEMORY_BYTES)
  }
  return own
}

/** A ResourceList as amounts. */
export function amounts(list: ResourceList | undefined): Amounts {
  const result: Amounts = new Map()
  for (const [name, quantity] of Object.entries(list ?? {})) result.set(name, amountOf(name, quantity))
  return result
}

function add(target: Amounts, more: Amounts): void {
  for (const [name, amount] of more) target.set(name, (target.get(name) ?? 0) + amount)
}

function raise(target: Amounts, atLeast: Amounts): void {
  for (const [name, amount] of atLeast) if (amount > (target.get(name) ?? -1)) target.set(name, amount)
}
