import { parseQuantity } from '../../machinery/quantity.ts'
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import { allocatable, reservations, texts } from '../configuration/node-allocatable.ts'
import type { Machine } from '../status/node-object.ts'

type Reserved = Pick<KubeletConfiguration, 'systemReserved' | 'kubeReserved' | 'evictionHard'>

/** What of a machine is left for pods. Pure. */
export function allocatableOf(
  { memory, cpu, ephemeralStorage, hugePages = {} }: Machine,
  reserved: Reserved,
): Readonly<Record<string, string>> {
  const amounts = { cpu, memory, 'ephemeral-storage': ephemeralStorage, ...hugePages }
  const capacity = new Map(Object.entries(amounts).map(([name, amount]) => [name, parseQuantity(amount)]))
  return texts(allocatable(capacity, reservations(capacity, reserved)))
}
