import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { corrupted, parseCheckpoint } from '../../checkpoints/checkpoint-file.ts'
import { byBytes, goChecksum, goMap } from '../../checkpoints/go-checksum.ts'
import { maskOf, nodesOf } from '../../machine/node-mask.ts'
import type { MemoryAmounts, MemoryBlock, MemoryLedger, MemoryNode } from './memory-ledger.ts'

/** The kubelet's checkpoint file of memory assignments. */
export const MEMORY_CHECKPOINT = 'memory_manager_state'

export interface MemoryCheckpoint {
  readonly policy: string
  /** Empty for policy `None`. */
  readonly ledger: MemoryLedger
}

interface StoredTable {
  readonly total: number
  readonly systemReserved: number
  readonly allocatable: number
  readonly reserved: number
  readonly free: number
}

interface StoredNode {
  readonly numberOfAssignments: number
  readonly memoryMap: Readonly<Record<string, StoredTable>>
  readonly cells: readonly number[]
}

interface StoredBlock {
  readonly numaAffinity: readonly number[]
  readonly type: string
  readonly size: number
}

type WrittenMachineState = Readonly<Record<string, StoredNode>>
type MemoryEntries = Readonly<Record<string, Readonly<Record<string, readonly StoredBlock[]>>>>

/** The file's text, as the kubelet writes it. */
export function writeMemoryCheckpoint({ policy, ledger }: MemoryCheckpoint): string {
  const machineState: WrittenMachineState = Object.fromEntries([...ledger.nodes].map(([id, node]) => [id, storedNode(node)]))
  const inOrder = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => byBytes(a, b))
  const entries: MemoryEntries = Object.fromEntries(
    inOrder(ledger.blocks).map(([uid, containers]) => [
      uid,
      Object.fromEntries(inOrder(containers).map(([name, blocks]) => [name, blocks.map(storedBlock)])),
    ]),
  )
  const some = ledger.blocks.size > 0
  return JSON.stringify({ policyName: policy, machineState, ...(some && { entries }), checksum: checksumOf(policy, machineState, entries) })
}

const storedNode = ({ assignments, amounts, group }: MemoryNode): StoredNode => ({
  numberOfAssignments: assignments,
  memoryMap: Object.fromEntries([...amounts].sort(([a], [b]) => byBytes(a, b)).map(([type, table]) => [type, { ...table }])),
  cells: nodesOf(group),
})

const storedBlock = ({ nodes, type, size }: MemoryBlock): StoredBlock => ({ numaAffinity: nodesOf(nodes), type, size })

/** Parses the file. @throws {CheckpointError} with the kubelet's message */
export function readMemoryCheckpoint(text: string): MemoryCheckpoint {
  const { policyName = '', machineState = {}, entries = {}, checksum = 0 } = parseCheckpoint(text, 'state.MemoryManagerCheckpointV1')
  if (typeof policyName !== 'string' || !isMachine(machineState) || !isEntries(entries)) throw corrupted()
  if (checksum !== checksumOf(policyName, machineState, entries)) throw corrupted()
  const nodes = Object.entries<StoredNode>(machineState).map(([id, node]): [number, MemoryNode] => [
    Number(id),
    {
      assignments: node.numberOfAssignments,
      amounts: new Map(Object.entries<StoredTable>(node.memoryMap).map(([type, table]): [string, MemoryAmounts] => [type, { ...table }])),
      group: maskOf(node.cells),
    },
  ])
  const blocks = Object.entries<MemoryEntries[string]>(entries).map(
    ([uid, containers]): [string, ReadonlyMap<string, readonly MemoryBlock[]>] => [
      uid,
      new Map(
        Object.entries(containers).map(([name, held]) => [
          name,
          held.map((b) => ({ nodes: maskOf(b.numaAffinity), type: b.type, size: b.size })),
        ]),
      ),
    ],
  )
  return { policy: policyName, ledger: { nodes: new Map(nodes), blocks: new Map(blocks) } }
}

const values = (value: unknown): readonly unknown[] => Object.values<unknown>(value as JsonObject)
const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((n) => typeof n === 'number')

const isTable = (value: unknown): value is StoredTable =>
  isObject(value) &&
  ['total', 'systemReserved', 'allocatable', 'reserved', 'free'].every((field) => typeof (value as JsonObject)[field] === 'number')

function isMachine(value: unknown): value is WrittenMachineState {
  const isNode = (node: unknown) =>
    isObject(node) &&
    typeof (node as JsonObject).numberOfAssignments === 'number' &&
    isObject((node as JsonObject).memoryMap) &&
    values((node as JsonObject).memoryMap).every(isTable) &&
    isNumbers((node as JsonObject).cells)
  return isObject(value) && Object.keys(value as JsonObject).every((id) => /^\d+$/.test(id)) && values(value).every(isNode)
}

function isEntries(value: unknown): value is MemoryEntries {
  const isBlock = (block: unknown) =>
    isObject(block) &&
    isNumbers((block as JsonObject).numaAffinity) &&
    typeof (block as JsonObject).type === 'string' &&
    typeof (block as JsonObject).size === 'number'
  const isBlocks = (blocks: unknown) => Array.isArray(blocks) && blocks.every(isBlock)
  return isObject(value) && values(value).every((containers) => isObject(containers) && values(containers).every(isBlocks))
}

function checksumOf(policy: string, machine: WrittenMachineState, entries: MemoryEntries): number {
  const table = (t: StoredTable) =>
    `<*>{TotalMemSize:(uint64)${t.total} SystemReserved:(uint64)${t.systemReserved} Allocatable:(uint64)${t.allocatable} Reserved:(uint64)${t.reserved} Free:(uint64)${t.free}}`
  const node = (n: StoredNode) =>
    `<*>{NumberOfAssignments:(int)${n.numberOfAssignments} MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${goMap(n.memoryMap, table)} Cells:([]int)[${n.cells.join(' ')}]}`
  const block = (b: StoredBlock) =>
    `{NUMAAffinity:([]int)[${b.numaAffinity.join(' ')}] Type:(v1.ResourceName)${b.type} Size:(uint64)${b.size}}`
  const held = goMap(entries, (containers) => goMap(containers, (blocks) => `[${blocks.map(block).join(' ')}]`))
  const fields = `PolicyName:(string)${policy} MachineState:(state.NUMANodeMap)${goMap(machine, node, 'numbers')} Entries:(state.ContainerMemoryAssignments)${held}`
  return goChecksum(`(*state.MemoryManagerCheckpoint){${fields} Checksum:(checksum.Checksum)0}`)
}
