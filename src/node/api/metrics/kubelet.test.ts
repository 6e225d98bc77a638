import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../types/pod.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import type { NodeUsage } from '../usage.ts'
import { exposition } from './exposition.ts'
import { kubeletFamilies } from './kubelet.ts'
import { volumeFamilies } from './volume-stats.ts'

const never = new AbortController().signal
const pod = (name: string, volumes: readonly object[], annotations = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, annotations },
    spec: { containers: [], volumes },
    status: { phase: 'Running' },
  }) as unknown as Pod
const claim = (name: string, claimName: string) => ({ name, persistentVolumeClaim: { claimName } })

function usageOf(...pods: readonly Pod[]): NodeUsage {
  const shown = pods.map((object) => ({
    pod: { name: object.metadata.name ?? '', namespace: 'default', uid: object.metadata.uid ?? '' },
    startedAtMs: 0,
    containers: [],
    object,
  }))
  return {
    atMs: 0,
    cpuNanoseconds: 0,
    nanoCores: undefined,
    memoryBytes: 0,
    machine: undefined,
    pods: shown,
    states: ['running', 'exited', 'running'],
  }
}

const hostOf = (host: object): KubeletHost =>
  ({ nodeName: 'n', machine: { architecture: 'amd64' }, pods: () => [], runtime: {}, ...host }) as unknown as KubeletHost

test('volumes of claims are measured once, by the claim; other volumes are not', async () => {
  const disk = { atMs: 1, capacityBytes: 100, availableBytes: 60, usedBytes: 40, inodes: 10, inodesFree: 7, inodesUsed: 3 }
  const host = hostOf({ volumeUse: () => new Map([['d', disk]]) })
  const usage = usageOf(pod('a', [claim('d', 'data'), { name: 'e', emptyDir: {} }]), pod('b', [claim('d', 'data')]))
  const lines = exposition(await volumeFamilies(host, usage, never)).split('\n')
  const of = (name: string, value: number) => `kubelet_volume_stats_${name}{namespace="default",persistentvolumeclaim="data"} ${value}`
  for (const line of [of('capacity_bytes', 100), of('available_bytes', 60), of('used_bytes', 40), of('inodes_free', 7)])
    assert.ok(lines.includes(line), line)
  assert.equal(lines.filter((line) => line.startsWith('kubelet_volume_stats_capacity_bytes')).length, 1)
})

test('a simulated volume is as large as its claim, and holds what containers wrote into it', async () => {
  const runtime = { podFiles: () => ({ layers: new Map(), volumes: new Map([['d', 30]]) }) }
  const host = hostOf({ claimCapacity: async (_namespace: string, name: string) => (name === 'data' ? 100 : undefined), runtime })
  const usage = usageOf(pod('a', [claim('d', 'data'), claim('x', 'unbound')]))
  assert.deepEqual(
    exposition(await volumeFamilies(host, usage, never))
      .split('\n')
      .filter((line) => line.startsWith('kubelet')),
    [
      'kubelet_volume_stats_available_bytes{namespace="default",persistentvolumeclaim="data"} 70',
      'kubelet_volume_stats_capacity_bytes{namespace="default",persistentvolumeclaim="data"} 100',
      'kubelet_volume_stats_used_bytes{namespace="default",persistentvolumeclaim="data"} 30',
    ],
  )
})

test('containers are counted by their state, static pods apart', () => {
  const pods = () => [pod('a', []), pod('s', [], { 'kubernetes.io/config.mirror': 'x' })]
  const lines = exposition(kubeletFamilies({ host: hostOf({ pods }), usage: usageOf(), version: 'v1.36.3' })).split('\n')
  for (const line of [
    'kubelet_running_containers{container_state="running"} 2',
    'kubelet_running_containers{container_state="exited"} 1',
    'kubelet_desired_pods{static=""} 1',
    'kubelet_active_pods{static="true"} 1',
    'kubelet_mirror_pods 1',
  ])
    assert.ok(lines.includes(line), line)
})
