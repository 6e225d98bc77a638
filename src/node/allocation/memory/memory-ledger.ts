import type { NodeMask } from '../../machine/node-mask.ts'

/** The bytes of one kind of memory on one NUMA node. */
export interface MemoryAmounts {
  readonly total: number
  readonly systemReserved: number
  readonly allocatable: number
  reserved: number
  free: number
}

/** The memory of one NUMA node, and the nodes with which it forms a group. */
export interface MemoryNode {
  /** The number of blocks on it. */
  assignments: number
  readonly amounts: ReadonlyMap<string, MemoryAmounts>
  /** The nodes that share allocations. A node in single-node use never takes part in multi-node allocations. */
  group: NodeMask
}

/** An allocation of a container, as in the kubelet's checkpoint. */
export interface MemoryBlock {
  readonly nodes: NodeMask
  readonly type: string
  size: number
}

/** The allocations of each NUMA node, as in the kubelet's checkpoint. */
export interface MemoryLedger {
  readonly nodes: ReadonlyMap<number, MemoryNode>
  /** By pod UID and container name. */
  readonly blocks: ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>>
}
