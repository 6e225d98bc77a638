/** The tests of `figures.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PODS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { ask } from '../node/api-request.ts'
import { findRuntime } from './found-runtime.ts'
import { runOnNode } from './in-pod.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { createPod, DEFAULT, isReady, reached } from './real-pods.ts'

const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(process.argv[2] ?? '', found)
const MIB = 2 ** 20

interface Disk {
  readonly usedBytes: number
  readonly capacityBytes: number
}

interface Summary {
  readonly node: {
    readonly cpu: { readonly usageCoreNanoSeconds: number }
    readonly fs: Disk
    readonly runtime: { readonly imageFs: Disk }
  }
  readonly pods: readonly {
    readonly podRef: { readonly name: string }
    readonly network: { readonly name?: string; readonly rxBytes?: number }
    readonly containers: readonly { readonly rootfs: Disk; readonly logs: Disk; readonly memory: { readonly rssBytes: number } }[]
    readonly 'ephemeral-storage': Disk
    readonly process_stats: { readonly process_count: number }
  }[]
}

test('a node tells what pods have written, logged, sent and received, and what the machine uses', async () => {
  await using cluster = await startCluster({
    runtime: machine.endpoint,
    kubeletConfig: kubeletConfig(machine, { volumeStatsAggPeriod: '1s' }),
  })
  const client = cluster.client()
  const script = 'dd if=/dev/zero of=/written bs=1M count=5; dd if=/dev/zero of=/e/written bs=1M count=3; yes | head -c 2097152; netexec'
  await createPod(client, 'busy', {
    containers: [{ name: 'main', image, command: ['sh', '-c', script], volumeMounts: [{ name: 'e', mountPath: '/e' }] }],
    volumes: [{ name: 'e', emptyDir: {} }],
  })
  const { status } = await reached(client, 'busy', isReady)
  const proxied = async (path: string) => (await ask(cluster, `/api/v1/nodes/node-1/proxy${path}`)).body
  let summary: Summary | undefined
  const ofPod = () => summary?.pods.find((pod) => pod.podRef.name === 'busy')
  await waitFor(
    async () => {
      await runOnNode(`curl -s http://${status?.podIP}:8080/hostname`)
      summary = JSON.parse(await proxied('/stats/summary'))
      const { network, containers = [] } = ofPod() ?? {}
      // containerd measures its images and layers every ten seconds.
      const measured = (summary?.node.runtime.imageFs.usedBytes ?? 0) > 0 && (containers[0]?.rootfs.usedBytes ?? 0) >= 5 * MIB
      return measured && (network?.rxBytes ?? 0) > 0
    },
    { timeoutMs: 60_000 },
  )
  const pod = ofPod()
  const [main] = pod?.containers ?? []
  assert.equal(pod?.network.name, 'eth0')
  assert.ok((main?.logs.usedBytes ?? 0) >= 2 * MIB)
  assert.ok((main?.memory.rssBytes ?? 0) > 0)
  assert.ok((pod?.['ephemeral-storage'].usedBytes ?? 0) >= 10 * MIB, 'layers, logs and emptyDirs')
  assert.ok((pod?.process_stats.process_count ?? 0) >= 2, 'the sandbox counts')
  assert.ok((summary?.node.cpu.usageCoreNanoSeconds ?? 0) > 0)
  assert.ok((summary?.node.fs.capacityBytes ?? 0) > (summary?.node.fs.usedBytes ?? Number.POSITIVE_INFINITY))
  const metrics = await proxied('/metrics/cadvisor')
  assert.match(metrics, /container_network_receive_bytes_total\{[^}]*interface="eth0"[^}]*pod="busy"[^}]*\} [1-9]/)
  assert.match(metrics, /container_fs_usage_bytes\{[^}]*container="main"[^}]*\} [1-9]\d{6}/)
  assert.doesNotMatch(metrics, /container_tasks_state/, 'what is not measured is not told')
  await client.delete({ ...PODS, ...DEFAULT, name: 'busy' }, { gracePeriodSeconds: 0 })
})

test.after(() => machine[Symbol.asyncDispose]())
