import { parseQuantity, Quantity } from '../../../machinery/quantity.ts'
import type { KubeletConfiguration } from '../../configuration/kubelet-configuration.ts'
import type { Quantities } from '../../configuration/node-allocatable.ts'
import type { Machine } from '../../machine/machine.ts'

/** The capacity of a node on this machine. */
export function capacityOf(
  machine: Machine,
  ephemeralStorage: string,
  { maxPods, podsPerCore }: Pick<KubeletConfiguration, 'maxPods' | 'podsPerCore'>,
): Quantities {
  const cpus = machine.cpus.length
  const bytes = new Map<string, number>()
  for (const amounts of machine.memory.values())
    for (const [type, size] of Object.entries(amounts)) bytes.set(type, (bytes.get(type) ?? 0) + size)
  return new Map([
    ['cpu', Quantity.of(cpus)],
    ['ephemeral-storage', parseQuantity(ephemeralStorage)],
    ...[...bytes].map(([type, size]): [string, Quantity] => [type, Quantity.of(size, 'BinarySI')]),
    ['pods', Quantity.of(podsPerCore > 0 ? Math.min(maxPods, podsPerCore * cpus) : maxPods)],
  ])
}
