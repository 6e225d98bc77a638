/**
 * Admission of pods by the topology manager with all three static managers, in CPU time of this process: `node bench/topology.ts [NUMA
 * nodes] [pods]`.
 */

import { CpuManager } from '../src/node/allocation/cpus/cpu-manager.ts'
import type { TopologyPolicy } from '../src/node/allocation/hints/merge-hints.ts'
import { MemoryManager } from '../src/node/allocation/memory/memory-manager.ts'
import { TopologyManager } from '../src/node/allocation/topology/topology-manager.ts'
import { describeMachine } from '../src/node/machine/machine.ts'
import type { Pod } from '../src/node/types/pod.ts'
import type { Node } from '../src/resources/types/core.ts'

const nodeCount = Number(process.argv[2] ?? 8)
const podCount = Number(process.argv[3] ?? 200)
const GI = 2 ** 30
const never = new AbortController().signal
const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } }

function podOf(i: number): Pod {
  const amounts = { cpu: '2', memory: '1Gi' }
  const containers = [{ name: 'main', image: 'i', resources: { requests: amounts, limits: amounts } }]
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}`, uid: `p${i}` }, spec: { containers }, status: {} }
}

for (const policy of ['none', 'best-effort', 'restricted', 'single-numa-node'] satisfies TopologyPolicy[]) {
  const machine = describeMachine({
    sockets: nodeCount,
    nodesPerSocket: 1,
    coresPerNode: 32,
    threadsPerCore: 2,
    memoryPerNode: { memory: 64 * GI },
  })
  const managers = [new CpuManager(machine, new Set([0])), new MemoryManager(machine, [], {})]
  const topology = new TopologyManager(managers, machine.layout, { policy })
  const before = process.cpuUsage()
  let admitted = 0
  for (let i = 0; i < podCount; i++) {
    const refusal = await topology.admit({ pod: podOf(i), node, taken: [], recovered: false }, never)
    if (refusal === undefined) admitted++
  }
  const { user, system } = process.cpuUsage(before)
  console.log(`${policy}: ${((user + system) / 1000 / podCount).toFixed(2)} ms of CPU a pod, ${admitted} of ${podCount} admitted`)
}
