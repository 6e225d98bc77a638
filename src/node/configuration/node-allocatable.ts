import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import type { KubeletConfiguration } from './kubelet-configuration.ts'

export type Quantities = ReadonlyMap<string, Quantity>

/** The reserved part of the node's capacity: system, kube and hard eviction threshold. Only resources with a reservation are listed. */
export function reservations(
  capacity: Quantities,
  config: Pick<KubeletConfiguration, 'systemReserved' | 'kubeReserved' | 'evictionHard'>,
): Quantities {
  const kept = new Map<string, Quantity>()
  for (const [resource, has] of capacity) {
    const parts = [config.systemReserved[resource], config.kubeReserved[resource]].map((amount) => parseQuantity(amount ?? '0'))
    const sum = [...parts, threshold(resource, has, config.evictionHard)].reduce((a, b) => a.add(b))
    if (!sum.isZero()) kept.set(resource, sum)
  }
  return kept
}

const SIGNALS: Readonly<Record<string, string>> = { memory: 'memory.available', 'ephemeral-storage': 'nodefs.available' }

/** The hard eviction threshold of a resource. */
function threshold(resource: string, has: Quantity, evictionHard: Readonly<Record<string, string>>): Quantity {
  const signal = SIGNALS[resource]
  const text = signal === undefined ? undefined : evictionHard[signal]
  if (text === undefined) return Quantity.zero
  // The kubelet stores percentages as float32.
  if (text.endsWith('%')) return Quantity.of(Math.trunc(Math.fround(Number(text.slice(0, -1)) / 100) * has.value()), 'BinarySI')
  return parseQuantity(text)
}

/** The allocatable resources. */
export function allocatable(capacity: Quantities, kept: Quantities): Quantities {
  const left = new Map<string, Quantity>()
  for (const [resource, has] of capacity) left.set(resource, notNegative(has.sub(kept.get(resource) ?? Quantity.zero)))
  // Huge pages are subtracted from the memory.
  for (const [resource, has] of capacity) {
    const memory = left.get('memory')
    if (memory !== undefined && resource.startsWith('hugepages-')) left.set('memory', notNegative(memory.sub(has)))
  }
  return left
}

const notNegative = (amount: Quantity) => (amount.sign() < 0 ? Quantity.zero.withFormat(amount.format) : amount)

export const texts = (amounts: Quantities): Readonly<Record<string, string>> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]))
