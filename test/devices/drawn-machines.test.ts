/**
 * Random machines, policies and pods, compared step by step with the CPU, memory and topology managers of the real kubelet 1.36.3, which
 * were linked into a small program. These are the first of each kind of twenty thousand.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { CpuManager } from '../../src/node/allocation/cpus/cpu-manager.ts'
import { CpuTopology } from '../../src/node/allocation/cpus/cpu-topology.ts'
import { takeCpus } from '../../src/node/allocation/cpus/take-cpus.ts'
import type { TopologyPolicy } from '../../src/node/allocation/hints/merge-hints.ts'
import { MemoryManager } from '../../src/node/allocation/memory/memory-manager.ts'
import { TopologyManager, type TopologyScope } from '../../src/node/allocation/topology/topology-manager.ts'
import { cpuOptions, topologyOptions } from '../../src/node/configuration/policy-options.ts'
import { formatCpuSet, NO_CPUS, parseCpuSet } from '../../src/node/machine/cpu-set.ts'
import { assembleMachine } from '../../src/node/machine/machine.ts'
import { nodesOf } from '../../src/node/machine/node-mask.ts'
import type { Pod } from '../../src/node/types/pod.ts'

type Amounts = Readonly<Record<string, string>>

interface DrawnContainer {
  readonly name: string
  readonly restartPolicy?: 'Always'
  readonly requests: Amounts
  /** Default: the requests. */
  readonly limits?: Amounts
}

interface DrawnStep {
  readonly pod?: string
  readonly initContainers?: readonly DrawnContainer[]
  readonly containers?: readonly DrawnContainer[]
  readonly refusal?: string | null
  readonly gone?: string
  readonly cpus: Readonly<Record<string, string>>
  readonly shared: string
  readonly blocks?: Readonly<Record<string, Readonly<Record<string, readonly (readonly [string, number, readonly number[]])[]>>>>
  readonly free?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly groups?: Readonly<Record<string, readonly number[]>>
}

interface Drawn {
  /** CPU, core, socket, NUMA node, last-level cache. */
  readonly cpus: readonly (readonly [number, number, number, number, number])[]
  readonly memory: readonly Readonly<Record<string, number>>[]
  readonly distances: readonly (readonly number[])[]
  readonly cpuManagerPolicyOptions: Amounts
  /** The CPUs, or their number. */
  readonly reservedCpus: string | number
  readonly reservedMemory?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly policy: TopologyPolicy
  readonly scope: TopologyScope
  readonly policyOptions: Amounts
  readonly steps: readonly DrawnStep[]
}

const drawn: readonly Drawn[] = JSON.parse(readFileSync(path.join(import.meta.dirname, 'machine-stories', 'drawn-machines.json'), 'utf8'))
const never = new AbortController().signal
const ALL_GATES = {
  CPUManagerPolicyAlphaOptions: true,
  CPUManagerPolicyBetaOptions: true,
  TopologyManagerPolicyAlphaOptions: true,
  TopologyManagerPolicyBetaOptions: true,
}

function open({
  cpus,
  memory: amounts,
  distances,
  cpuManagerPolicyOptions,
  reservedCpus,
  reservedMemory,
  policy,
  scope,
  policyOptions,
}: Drawn) {
  const parts = cpus.map(([id, core, socket, node, cache]) => ({ id, core, socket, node, cache }))
  const machine = assembleMachine(parts, new Map(amounts.map((has, id) => [id, has])), distances)
  const options = cpuOptions(cpuManagerPolicyOptions, ALL_GATES, policy, machine)
  const ids = machine.cpus.map((c) => c.id)
  const reserved =
    typeof reservedCpus === 'string'
      ? (parseCpuSet(reservedCpus) ?? NO_CPUS)
      : new Set(takeCpus(CpuTopology.of(machine), ids, reservedCpus, options))
  const cpu = new CpuManager(machine, reserved, options)
  const kept = Object.entries(reservedMemory ?? {})
  const limits = kept.map(([node, of]) => ({
    numaNode: Number(node),
    limits: Object.fromEntries(Object.entries(of).map(([type, bytes]) => [type, String(bytes)])),
  }))
  const sum = kept.reduce((total, [, of]) => total + (of.memory ?? 0), 0)
  const memory = reservedMemory && new MemoryManager(machine, limits, { memory: sum })
  const { preferClosest } = topologyOptions(policyOptions)
  const manager = new TopologyManager(memory === undefined ? [cpu] : [cpu, memory], machine.layout, { policy, scope, preferClosest })
  return { cpu, memory, manager }
}

function podOf(uid: string, { initContainers = [], containers = [] }: DrawnStep): Pod {
  const container = ({ requests, limits = requests, ...rest }: DrawnContainer) => ({ ...rest, image: 'i', resources: { requests, limits } })
  const spec = { initContainers: initContainers.map(container), containers: containers.map(container) }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: uid, uid }, spec, status: {} }
}

for (const [i, one] of drawn.entries()) {
  const { cpuManagerPolicyOptions: options, policy, scope } = one
  test(`drawn machine ${i}: ${policy}, ${scope}, ${Object.keys(options).join(' and ') || 'no options'}`, async () => {
    const { cpu, memory, manager } = open(one)
    const pods = new Map<string, Pod>()
    for (const step of one.steps) {
      if (step.pod !== undefined) {
        const pod = podOf(step.pod, step)
        const refusal = await manager.admit(
          { pod, node: { apiVersion: 'v1', kind: 'Node', metadata: {} }, taken: [], recovered: false },
          never,
        )
        assert.equal(refusal === undefined ? null : `${refusal.reason}: ${refusal.message}`, step.refusal)
        if (refusal === undefined) pods.set(step.pod, pod)
      }
      const gone = pods.get(step.gone ?? '')
      if (gone !== undefined) manager.release(gone)
      memory?.sweep()
      const held = [...cpu.ledger.exclusive].flatMap(([uid, of]) => [...of].map(([name, set]) => [`${uid}/${name}`, formatCpuSet(set)]))
      assert.deepEqual(
        { cpus: Object.fromEntries(held), shared: formatCpuSet(cpu.ledger.shared) },
        { cpus: step.cpus, shared: step.shared },
      )
      if (memory !== undefined) assert.deepEqual(memoryOf(memory), { blocks: step.blocks, free: step.free, groups: step.groups })
    }
  })
}

function memoryOf(memory: MemoryManager) {
  const nodes = [...memory.nodes]
  const blocks = [...memory.ledger.blocks].map(([uid, containers]) => {
    const own = [...containers].map(([name, list]) => {
      const sorted = list.toSorted((a, b) => (a.type < b.type ? -1 : 1))
      return [name, sorted.map((b) => [b.type, b.size, nodesOf(b.nodes)])]
    })
    return [uid, Object.fromEntries(own)]
  })
  return {
    blocks: Object.fromEntries(blocks),
    free: Object.fromEntries(nodes.map(([id, n]) => [id, Object.fromEntries([...n.amounts].map(([type, a]) => [type, a.free]))])),
    groups: Object.fromEntries(nodes.map(([id, n]) => [id, nodesOf(n.group)])),
  }
}
