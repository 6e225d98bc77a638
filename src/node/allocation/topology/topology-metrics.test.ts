import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../../base/exposition.ts'
import { describeMachine } from '../../machine/machine.ts'
import type { Pod } from '../../types/pod.ts'
import { CpuManager } from '../cpus/cpu-manager.ts'
import { MemoryManager } from '../memory/memory-manager.ts'
import { TopologyManager } from './topology-manager.ts'
import { createAdmissionCounts, topologyMetrics } from './topology-metrics.ts'

const GI = 2 ** 30
const never = new AbortController().signal

const podOf = (uid: string, cpu: number): Pod => {
  const amounts = { cpu: String(cpu), memory: '1Gi' }
  const containers = [{ name: 'main', image: 'i', resources: { requests: amounts, limits: amounts } }]
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: uid, uid }, spec: { containers }, status: {} }
}

test("what the managers give and refuse is counted under the kubelet's names", async () => {
  const machine = describeMachine({
    sockets: 2,
    nodesPerSocket: 1,
    coresPerNode: 4,
    threadsPerCore: 2,
    memoryPerNode: { memory: 8 * GI },
  })
  const cpu = new CpuManager(machine, new Set([0, 8]), { wholeCores: true })
  const memory = new MemoryManager(machine, [], {})
  const counts = createAdmissionCounts('single-numa-node')
  const manager = new TopologyManager([cpu, memory], machine.layout, { policy: 'single-numa-node', counts })
  const admit = (pod: Pod) =>
    manager.admit({ pod, node: { apiVersion: 'v1', kind: 'Node', metadata: {} }, taken: [], recovered: false }, never)
  assert.equal(await admit(podOf('fits', 4)), undefined)
  assert.equal((await admit(podOf('wide', 10)))?.reason, 'TopologyAffinityError')
  assert.equal((await admit(podOf('odd', 3)))?.reason, 'SMTAlignmentError')
  const lines = exposition(topologyMetrics({ machine, admissions: counts, cpu, memory }).families()).split('\n')
  for (const line of [
    'kubelet_topology_manager_admission_requests_total 3',
    'kubelet_topology_manager_admission_errors_total 2',
    'kubelet_topology_manager_admission_duration_ms_count 3',
    'kubelet_topology_manager_admission_duration_ms_bucket{le="0.05"} 3',
    'kubelet_container_aligned_compute_resources_count{boundary="numa_node",scope="container"} 1',
    'kubelet_container_aligned_compute_resources_count{boundary="numa_node",scope="pod"} 0',
    'kubelet_container_aligned_compute_resources_count{boundary="physical_cpu",scope="container"} 1',
    'kubelet_container_aligned_compute_resources_count{boundary="uncore_cache",scope="container"} 1',
    'kubelet_container_aligned_compute_resources_failure_count{boundary="numa_node",scope="container"} 1',
    'kubelet_container_aligned_compute_resources_failure_count{boundary="physical_cpu",scope="container"} 1',
    'kubelet_cpu_manager_pinning_requests_total 2',
    'kubelet_cpu_manager_pinning_errors_total 1',
    'kubelet_cpu_manager_shared_pool_size_millicores 10000',
    'kubelet_cpu_manager_exclusive_cpu_allocation_count 4',
    'kubelet_cpu_manager_allocation_per_numa{numa_node="0"} 4',
    'kubelet_cpu_manager_allocation_per_numa{numa_node="1"} 0',
    'kubelet_memory_manager_pinning_requests_total 1',
    'kubelet_memory_manager_pinning_errors_total 0',
  ])
    assert.ok(lines.includes(line), line)
})
