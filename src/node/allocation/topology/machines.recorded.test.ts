import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../../../../test/upstream.ts'
import { parseQuantity } from '../../../machinery/quantity.ts'
import type { Node } from '../../../resources/types/core.ts'
import type { ReservedMemory } from '../../configuration/reserved-memory.ts'
import { formatCpuSet, NO_CPUS, parseCpuSet } from '../../machine/cpu-set.ts'
import { describeMachine, type Machine } from '../../machine/machine.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { CpuManager } from '../cpus/cpu-manager.ts'
import type { TopologyPolicy } from '../hints/merge-hints.ts'
import { MemoryManager } from '../memory/memory-manager.ts'
import { TopologyManager, type TopologyScope } from './topology-manager.ts'

interface RecordedFact {
  readonly pod?: string
  readonly deleted?: string
  readonly containers?: readonly (Container & { readonly init?: boolean })[]
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly runtime?: readonly {
    readonly call: string
    readonly pod: string
    readonly container: string
    readonly cpuset_cpus?: string
    readonly cpuset_mems?: string
  }[]
  readonly cpuCheckpoint?: { readonly defaultCpuSet: string; readonly entries?: Readonly<Record<string, Readonly<Record<string, string>>>> }
}

interface RecordedGroup {
  readonly story: string
  readonly machine: string
  readonly kubeletConfiguration: {
    readonly cpuManagerPolicy?: string
    readonly reservedSystemCPUs?: string
    readonly cpuManagerPolicyOptions?: Readonly<Record<string, string>>
    readonly systemReserved?: Readonly<Record<string, string>>
    readonly evictionHard?: Readonly<Record<string, string>>
    readonly memoryManagerPolicy?: string
    readonly reservedMemory?: readonly ReservedMemory[]
    readonly topologyManagerPolicy?: TopologyPolicy
    readonly topologyManagerScope?: TopologyScope
  }
  readonly facts?: readonly RecordedFact[]
  readonly refusesToStart?: readonly string[]
}

const { groups }: { readonly groups: readonly RecordedGroup[] } = JSON.parse(
  readFileSync(path.join(upstream, 'node/cpu-memory.json'), 'utf8'),
)

/** `2 sockets, each 2 NUMA nodes of 4 cores of 1 thread and 8 GiB`. */
function machineOf(words: string): Machine {
  const number = (pattern: RegExp, otherwise: number) => Number(pattern.exec(words)?.[1] ?? otherwise)
  return describeMachine({
    sockets: number(/(\d+) sockets?/, 1),
    nodesPerSocket: number(/(\d+) NUMA node/, 1),
    coresPerNode: number(/(\d+) cores?/, 1),
    threadsPerCore: number(/(\d+) threads?/, 1),
    memoryPerNode: { memory: number(/(\d+) GiB/, 1) * 2 ** 30, 'hugepages-2Mi': 0 },
  })
}

function managerOf({ kubeletConfiguration: config, machine: words }: RecordedGroup) {
  const machine = machineOf(words)
  const on = (name: string) => config.cpuManagerPolicyOptions?.[name] === 'true'
  const cpu =
    config.cpuManagerPolicy === 'static'
      ? new CpuManager(machine, parseCpuSet(config.reservedSystemCPUs ?? '') ?? NO_CPUS, {
          wholeCores: on('full-pcpus-only'),
          acrossNuma: on('distribute-cpus-across-numa'),
          acrossCores: on('distribute-cpus-across-cores'),
          alignBySocket: on('align-by-socket'),
          strictReservation: on('strict-cpu-reservation'),
          alignByCache: on('prefer-align-cpus-by-uncorecache'),
        })
      : undefined
  const kept = [config.systemReserved?.memory, config.evictionHard?.['memory.available']]
  const memory =
    config.memoryManagerPolicy === 'Static'
      ? new MemoryManager(machine, config.reservedMemory ?? [], {
          memory: kept.reduce((sum, amount) => sum + (amount === undefined ? 0 : parseQuantity(amount).value()), 0),
        })
      : undefined
  const providers = [cpu, memory].filter((p) => p !== undefined)
  const options = { policy: config.topologyManagerPolicy ?? 'none', scope: config.topologyManagerScope ?? 'container' }
  return { cpu, memory, topology: new TopologyManager(providers, machine.layout, options) }
}

const podOf = (fact: RecordedFact): Pod => {
  const containers = fact.containers ?? []
  const isInit = (c: Container & { readonly init?: boolean }) => c.init === true || c.restartPolicy === 'Always'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: fact.pod ?? '', namespace: 'default', uid: `<uid of ${fact.pod}>` },
    spec: { initContainers: containers.filter(isInit), containers: containers.filter((c) => !isInit(c)) },
    status: {},
  }
}

const never = new AbortController().signal

for (const group of groups.filter((g) => g.facts !== undefined)) {
  test(`on a described machine: ${group.story}`, async () => {
    const { cpu, topology } = managerOf(group)
    const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }
    const pods = new Map<string, Pod>()
    for (const fact of group.facts ?? []) {
      if (fact.deleted !== undefined) {
        const gone = pods.get(fact.deleted)
        if (gone !== undefined) topology.release(gone)
      } else {
        const pod = podOf(fact)
        const refusal = await topology.admit({ pod, node, taken: [], recovered: false }, never)
        // Another handler checks afterwards whether it fits the node.
        if (fact.reason?.startsWith('OutOf')) topology.release(pod)
        else {
          const expected =
            fact.phase === 'Failed'
              ? { reason: fact.reason ?? '', message: (fact.message ?? '').replace('Pod was rejected: ', '') }
              : undefined
          assert.deepEqual(refusal, expected, fact.pod ?? '')
          if (refusal === undefined) pods.set(pod.metadata.name ?? '', pod)
        }
        for (const call of fact.runtime ?? []) {
          if (call.call !== 'CreateContainer') continue
          const container = fact.containers?.find((c) => c.name === call.container)
          assert.ok(container)
          const { cpus, memoryNodes } = topology.additions(pod, container)?.resources ?? {}
          assert.deepEqual([cpus, memoryNodes], [call.cpuset_cpus, call.cpuset_mems], `${fact.pod}/${call.container}`)
        }
      }
      if (cpu === undefined || fact.cpuCheckpoint === undefined) continue
      assert.equal(formatCpuSet(cpu.ledger.shared), fact.cpuCheckpoint.defaultCpuSet, `after ${fact.pod ?? `the end of ${fact.deleted}`}`)
    }
  })
}

for (const group of groups.filter((g) => g.story.startsWith('memory-') && g.refusesToStart !== undefined))
  test(`a memory manager whose reservation does not fit refuses to start: ${group.story}`, () => {
    const said = /"Failed to initialize memory manager" err="(.*)"$/.exec(
      group.refusesToStart?.find((line) => line.includes('initialize memory')) ?? '',
    )
    assert.throws(() => managerOf(group), { message: (said?.[1] ?? '').replaceAll('\\"', '"') })
  })
