import { type ReservedMemory, reservedOf } from '../../configuration/reserved-memory.ts'
import type { Machine } from '../../machine/machine.ts'
import { countOf, type NodeMask, nodesOf } from '../../machine/node-mask.ts'
import type { MemoryAmounts, MemoryBlock, MemoryLedger, MemoryNode } from './memory-ledger.ts'

/** The state that a previous agent left does not match the machine; the message is the kubelet's. */
export class MemoryStateError extends Error {
  override readonly name = 'MemoryStateError'
  readonly code = 'bad-state'
}

/** The memory of a machine's NUMA nodes: what is free, and how they are grouped. */
export class MemoryNodes {
  readonly all: ReadonlyMap<number, MemoryNode>

  constructor(machine: Machine, reserved: readonly ReservedMemory[]) {
    this.all = new Map(
      machine.layout.nodes.map((node) => {
        const has = machine.memory.get(node) ?? {}
        const amounts = Object.entries(has).map(([type, total]): [string, MemoryAmounts] => {
          const systemReserved = reservedOf(reserved, node, type)
          const allocatable = total - systemReserved - (type === 'memory' ? hugePages(has) : 0)
          return [type, { total, systemReserved, allocatable, reserved: 0, free: allocatable }]
        })
        return [node, { assignments: 0, amounts: new Map(amounts), group: 1 << node }]
      }),
    )
  }

  /** Restores the state of a previous agent. @throws {MemoryStateError} if it does not match this machine */
  restore({ nodes, blocks }: MemoryLedger): void {
    if (nodes.size === 0 && blocks.size === 0) return
    if (nodes.size === 0) throw new MemoryStateError('[memorymanager] machine state can not be empty when it has memory assignments')
    for (const [uid, containers] of blocks)
      for (const [container, list] of containers)
        for (const block of list) {
          this.#check(block, `[memorymanager] (pod: ${uid}, container: ${container})`)
          this.take(block.nodes, block.type, block.size)
        }
    if (!this.#matchesBlocks(nodes)) throw new MemoryStateError('[memorymanager] the expected machine state is different from the real one')
    for (const [id, { amounts: left }] of nodes)
      for (const [type, { reserved, free }] of left) Object.assign(this.all.get(id)?.amounts.get(type) ?? {}, { reserved, free })
  }

  #check(block: MemoryBlock, who: string): void {
    for (const id of nodesOf(block.nodes)) {
      const node = this.all.get(id)
      if (node === undefined) throw new MemoryStateError(`${who} the memory assignment uses the NUMA that does not exist`)
      if (!node.amounts.has(block.type)) throw new MemoryStateError(`${who} the memory assignment uses memory resource that does not exist`)
    }
  }

  /**
   * Whether the restored amounts equal the sum of the blocks. Grouped nodes are compared together: blocks do not say how they are split
   * over the nodes of a group.
   */
  #matchesBlocks(left: ReadonlyMap<number, MemoryNode>): boolean {
    if (left.size !== this.all.size) return false
    const sum = (of: ReadonlyMap<number, MemoryNode>, group: NodeMask, type: string, what: 'free' | 'reserved') =>
      nodesOf(group).reduce((total, id) => total + (of.get(id)?.amounts.get(type)?.[what] ?? 0), 0)
    return [...left].every(([id, { assignments, group, amounts }]) => {
      const own = this.all.get(id)
      if (own?.assignments !== assignments || own.group !== group || own.amounts.size !== amounts.size) return false
      return [...amounts].every(([type, { total, systemReserved, allocatable }]) => {
        const has = own.amounts.get(type)
        if (has?.total !== total || has.systemReserved !== systemReserved || has.allocatable !== allocatable) return false
        return (['free', 'reserved'] as const).every((what) => sum(left, group, type, what) === sum(this.all, group, type, what))
      })
    })
  }

  /** Whether the nodes have the requested memory free. */
  serves(nodes: NodeMask, wanted: ReadonlyMap<string, number>): boolean {
    return [...wanted].every(([type, size]) => this.sum(nodes, type, 'free') >= size)
  }

  sum(nodes: NodeMask, type: string, what: 'free' | 'allocatable'): number {
    return nodesOf(nodes).reduce((sum, node) => sum + (this.all.get(node)?.amounts.get(type)?.[what] ?? 0), 0)
  }

  /** Whether the set would mix nodes of different groups: a node is used alone, or always with the same others. */
  mixesGroups(nodes: NodeMask): boolean {
    const single = countOf(nodes) === 1
    return nodesOf(nodes).some((id) => {
      const node = this.all.get(id)
      if (node === undefined) return true
      return single ? countOf(node.group) > 1 : node.assignments > 0 && node.group !== nodes
    })
  }

  take(nodes: NodeMask, type: string, size: number): void {
    let left = size
    for (const id of nodesOf(nodes)) {
      const node = this.all.get(id)
      if (node === undefined) continue
      node.assignments++
      node.group = nodes
      left -= move(node.amounts.get(type), 'free', 'reserved', left)
    }
  }

  /** Frees a block, from the first of its nodes on: the order of allocation. */
  giveBack({ nodes, type, size }: MemoryBlock): void {
    let left = size
    for (const id of nodesOf(nodes)) {
      const node = this.all.get(id)
      if (node === undefined) continue
      node.assignments--
      if (node.assignments === 0) node.group = 1 << id
      left -= move(node.amounts.get(type), 'reserved', 'free', left)
    }
  }
}

/** Moves up to that many bytes; returns how many it moved. */
function move(amounts: MemoryAmounts | undefined, from: 'free' | 'reserved', to: 'free' | 'reserved', bytes: number): number {
  const moved = Math.min(bytes, Math.max(0, amounts?.[from] ?? 0))
  if (amounts === undefined) return 0
  amounts[from] -= moved
  amounts[to] += moved
  return moved
}

const hugePages = (has: Readonly<Record<string, number>>): number =>
  Object.entries(has).reduce((sum, [type, bytes]) => (type === 'memory' ? sum : sum + bytes), 0)
