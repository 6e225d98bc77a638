import { parseQuantity } from '../../machinery/quantity.ts'
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import { allocatable, reservations, texts } from '../configuration/node-allocatable.ts'
import type { Machine } from '../status/node-object.ts'
import type { CgroupAmounts } from './cgroups/cgroup-files.ts'
import { sharesOf } from './isolation/cpu-amounts.ts'

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

/** What its pods are held to together: all that is not reserved. Eviction begins before that. Pure. */
export function amountsOfAll(machine: Machine, kubelet: Reserved & Pick<KubeletConfiguration, 'enforcesAllocatable'>): CgroupAmounts {
  if (!kubelet.enforcesAllocatable) return {}
  const { cpu = '0', memory = '0' } = allocatableOf(machine, { ...kubelet, evictionHard: {} })
  return { cpuShares: sharesOf(parseQuantity(cpu).milliValue()), memoryLimitBytes: parseQuantity(memory).value() }
}
