import { parseQuantity } from '../../machinery/quantity.ts'
import type { Machine } from '../machine/machine.ts'

/** A configuration with which the kubelet does not start. */
export class MemoryConfigError extends Error {
  override readonly name = 'MemoryConfigError'
}

/** `reservedMemory`: the part of a NUMA node's memory that containers do not get. */
export interface ReservedMemory {
  readonly numaNode: number
  readonly limits: Readonly<Record<string, string>>
}

/** The reservations of all NUMA nodes have to add up to what the node reserves. @throws {MemoryConfigError} */
export function checkReserved(machine: Machine, reserved: readonly ReservedMemory[], nodeReserved: Readonly<Record<string, number>>): void {
  const sums = new Map<string, number>()
  for (const { numaNode, limits } of reserved) {
    if (!machine.layout.nodes.includes(numaNode))
      throw new MemoryConfigError(
        `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`,
      )
    for (const [type, amount] of Object.entries(limits)) sums.set(type, (sums.get(type) ?? 0) + parseQuantity(amount).value())
  }
  for (const type of new Set([...sums.keys(), ...Object.keys(nodeReserved)])) {
    const [has, wants] = [sums.get(type) ?? 0, nodeReserved[type] ?? 0]
    if (has !== wants)
      throw new MemoryConfigError(
        `the total amount ${JSON.stringify(bytesText(has))} of type ${JSON.stringify(type)} is not equal to the value ${JSON.stringify(bytesText(wants))} determined by Node Allocatable feature`,
      )
  }
}

/** Policy `Static` requires some reserved memory. */
export function checkSomeReserved(reserved: readonly ReservedMemory[]): void {
  if (!reserved.some(({ limits }) => limits.memory !== undefined && !parseQuantity(limits.memory).isZero()))
    throw new MemoryConfigError('[memorymanager] you should specify the system reserved memory')
}

const bytesText = (bytes: number): string => {
  let [value, unit] = [bytes, 0]
  while (value !== 0 && value % 1024 === 0 && unit < 4) {
    value /= 1024
    unit++
  }
  return `${value}${['', 'Ki', 'Mi', 'Gi', 'Ti'][unit]}`
}

/** The reserved memory of one kind on a NUMA node, in bytes. */
export const reservedOf = (reserved: readonly ReservedMemory[], node: number, type: string): number =>
  reserved
    .filter((r) => r.numaNode === node)
    .reduce((sum, { limits }) => sum + (limits[type] === undefined ? 0 : parseQuantity(limits[type]).value()), 0)
