import type { NodeMask } from '../../machine/node-mask.ts'

/** Of one NUMA node and one kind of memory: bytes. */
export interface MemoryAmounts {
  readonly total: number
  readonly systemReserved: number
  readonly allocatable: number
  reserved: number
  free: number
}

/** One NUMA node: what it has, and with which others it serves containers. */
export interface MemoryNode {
  /** How many blocks lie on it. */
  assignments: number
  readonly amounts: ReadonlyMap<string, MemoryAmounts>
  /** The nodes that serve together; a node that serves alone serves nobody across nodes. */
  group: NodeMask
}

/** What a container holds: the kubelet's checkpoint has it so. */
export interface MemoryBlock {
  readonly nodes: NodeMask
  readonly type: string
  size: number
}

/** What is held on each NUMA node, and by whom: the kubelet's checkpoint has it so. */
export interface MemoryLedger {
  readonly nodes: ReadonlyMap<number, MemoryNode>
  /** By the pod's uid and the container's name. */
  readonly blocks: ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>>
}
