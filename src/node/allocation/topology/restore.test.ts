import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_CPUS, parseCpuSet } from '../../machine/cpu-set.ts'
import { describeMachine } from '../../machine/machine.ts'
import { type CpuLedger, CpuManager } from '../cpus/cpu-manager.ts'
import type { MemoryLedger } from '../memory/memory-ledger.ts'
import { MemoryManager } from '../memory/memory-manager.ts'

const GI = 2 ** 30
const machine = describeMachine({
  sockets: 1,
  nodesPerSocket: 2,
  coresPerNode: 2,
  threadsPerCore: 1,
  memoryPerNode: { memory: 4 * GI },
})
const set = (text: string) => parseCpuSet(text) ?? NO_CPUS

test('with strict reservation the reserved processors are no part of what is compared', () => {
  const left = (shared: string): CpuLedger => ({ shared: set(shared), exclusive: new Map([['pod', new Map([['main', set('1')]])]]) })
  const open = (shared: string) => new CpuManager(machine, set('0'), { strictReservation: true }, left(shared))
  assert.equal(open('2-3').held('pod', 'main')?.size, 1)
  assert.throws(() => open('2'), { message: 'current set of available CPUs "1-3" doesn\'t match with CPUs in state "1-2"' })
  assert.throws(() => open('0,2-3'), { message: 'some of strictly reserved cpus: "0" are present in defaultCpuSet: "0,2-3"' })
})

/** The checkpoint of one container with this much memory of these nodes, as the kubelet writes it. */
function leftBy({
  mask,
  bytes,
  free,
}: {
  readonly mask: number
  readonly bytes: number
  readonly free: readonly [number, number]
}): MemoryLedger {
  const node = (id: number) => {
    const [there, left] = [(mask & (1 << id)) !== 0, free[id] ?? 0]
    const amounts = { total: 4 * GI, systemReserved: 0, allocatable: 4 * GI, reserved: 4 * GI - left, free: left }
    return { assignments: there ? 1 : 0, group: there ? mask : 1 << id, amounts: new Map([['memory', amounts]]) }
  }
  const blocks = new Map([['pod', new Map([['main', [{ nodes: mask, type: 'memory', size: bytes }]]])]])
  return { nodes: new Map([0, 1].map((id) => [id, node(id)])), blocks }
}

const restore = (left: MemoryLedger) => new MemoryManager(machine, [], {}, left)

test('nodes that serve together are compared together: the kubelet does not remember which of them gave what', () => {
  for (const free of [
    [0, 3 * GI],
    [1 * GI, 2 * GI],
  ] as const) {
    const manager = restore(leftBy({ mask: 3, bytes: 5 * GI, free }))
    assert.equal(manager.nodes.get(0)?.amounts.get('memory')?.free, free[0])
  }
  const different = { message: '[memorymanager] the expected machine state is different from the real one' }
  assert.throws(() => restore(leftBy({ mask: 3, bytes: 5 * GI, free: [0, 2 * GI] })), different)
  assert.throws(() => restore(leftBy({ mask: 1, bytes: 2 * GI, free: [3 * GI, 3 * GI] })), different)
})

test('blocks of what the machine does not have are named', () => {
  const left = leftBy({ mask: 1, bytes: GI, free: [3 * GI, 4 * GI] })
  const of = (block: { nodes: number; type: string }) => ({
    ...left,
    blocks: new Map([['pod', new Map([['main', [{ size: GI, ...block }]]])]]),
  })
  assert.throws(() => restore(of({ nodes: 8, type: 'memory' })), {
    message: '[memorymanager] (pod: pod, container: main) the memory assignment uses the NUMA that does not exist',
  })
  assert.throws(() => restore(of({ nodes: 1, type: 'hugepages-1Gi' })), {
    message: '[memorymanager] (pod: pod, container: main) the memory assignment uses memory resource that does not exist',
  })
})
