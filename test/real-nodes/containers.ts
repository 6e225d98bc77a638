/** The tests of `containers.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { CONFIG_MAPS, NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod, PodSpec } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { showsRunningPod } from '../page/pod-streams.ts'
import { findRuntime } from './found-runtime.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { createPod, DEFAULT, hasEnded, isReady, LASTS, logOf, reached, removed, run } from './real-pods.ts'
import { clientCaOf, startAgent } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)

const start = (dataDir?: string): Promise<Cluster> =>
  startCluster({
    runtime: machine.endpoint,
    kubeletConfig: kubeletConfig(machine),
    ...(dataDir !== undefined && { dataDir }),
  })

/** What pods leave on a node while they are there. */
const traces = () => ({
  containers: machine.ctr('containers', 'ls', '-q').trim(),
  folders: readdirSync('/var/lib/kubelet/pods'),
  logs: readdirSync('/var/log/pods'),
  mounts: readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes('/var/lib/kubelet/pods')),
  addresses: readdirSync('/var/lib/cni/networks/test').filter((name) => name.includes('.') && !name.startsWith('last')),
})

/** Of a pod that had ended the object goes at once, and the node clears up after that. */
async function nothingLeft(): Promise<void> {
  const isClear = () => Object.values(traces()).every((left) => left.length === 0)
  await waitFor(isClear, { timeoutMs: 30_000 }).catch(() => {})
  assert.deepEqual(traces(), { containers: '', folders: [], logs: [], mounts: [], addresses: [] })
}

test('a pod with volumes runs, is seen from inside and outside, and leaves nothing behind', async () => {
  await using cluster = await start()
  const client = cluster.client()
  await client.create(
    { ...CONFIG_MAPS, ...DEFAULT },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { a: 'alpha', b: 'beta' } },
  )
  await createPod(client, 'whole', {
    securityContext: { runAsUser: 1000, fsGroup: 3003 },
    containers: [
      {
        name: 'main',
        image,
        command: LASTS,
        readinessProbe: { exec: { command: ['cat', '/c/a'] }, periodSeconds: 1 },
        volumeMounts: [
          { name: 'c', mountPath: '/c' },
          { name: 'c', mountPath: '/one', subPath: 'b' },
          { name: 'e', mountPath: '/e' },
          { name: 'm', mountPath: '/m' },
        ],
      },
    ],
    volumes: [
      { name: 'c', configMap: { name: 'cm' } },
      { name: 'e', emptyDir: {} },
      { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
    ],
  })
  const pod = await reached(client, 'whole', isReady)
  assert.match(pod.status?.podIP ?? '', /^10\.244\.0\.\d+$/)
  assert.match(pod.status?.containerStatuses?.[0]?.containerID ?? '', /^containerd:\/\/[0-9a-f]{64}$/)
  assert.equal(await logOf(client, 'whole'), 'started\n')
  const seen = await run(
    client,
    'whole',
    'cat /c/a /one; touch /e/x; stat -c "%u %g" /e/x; id -G; hostname; df -k /m | tail -1 | cut -c1-5; exit 7',
  )
  assert.deepEqual(seen.out.split('\n'), ['alphabeta1000 3003', '1000 3003 50000', 'whole', 'tmpfs', ''])
  assert.equal(seen.exitCode, 7)
  await showsRunningPod(new URL(await cluster.page()), { name: 'whole', line: 'started', node: 'node-1' })
  assert.equal(traces().folders.length, 1)
  await removed(client, 'whole')
  await nothingLeft()
})

test('how containers end is told: their last words, memory that ran out, programs that are not there', async () => {
  await using cluster = await start()
  const client = cluster.client()
  const ends: PodSpec = {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'oom',
        image,
        command: ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1'],
        resources: { limits: { memory: '24Mi' } },
      },
      { name: 'words', image, command: ['sh', '-c', 'echo -n farewell > /dev/termination-log; exit 3'] },
    ],
  }
  await createPod(client, 'nowhere', { restartPolicy: 'Never', containers: [{ name: 'main', image, command: ['/nowhere'] }] })
  // containerd may learn that memory ran out after the container has ended: then it calls it an error, and another pod is tried.
  const ways: unknown[] = []
  while (ways.length < 5) {
    await createPod(client, 'ends', ends)
    const { status } = await reached(client, 'ends', hasEnded)
    const [oom, words] = status?.containerStatuses?.map((c) => c.state?.terminated) ?? []
    assert.deepEqual([words?.exitCode, words?.reason, words?.message], [3, 'Error', 'farewell'])
    assert.deepEqual([oom?.exitCode, oom?.message], [137, undefined])
    ways.push(oom?.reason)
    await removed(client, 'ends')
    if (oom?.reason !== 'Error') break
  }
  assert.equal(ways.at(-1), 'OOMKilled', ways.join())
  const failed = await reached(
    client,
    'nowhere',
    (p) => p.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'RunContainerError' || hasEnded(p),
  )
  assert.match(JSON.stringify(failed.status?.containerStatuses), /no such file or directory/)
  await removed(client, 'nowhere')
  await nothingLeft()
})

test('containers outlive the agent and the whole cluster; the next one takes them over', async () => {
  const dataDir = path.join(folder, 'data')
  let before: Pod
  {
    await using cluster = await start(dataDir)
    await createPod(cluster.client(), 'stays', { containers: [{ name: 'main', image, command: LASTS }] })
    before = await reached(cluster.client(), 'stays', isReady)
  }
  await using cluster = await start(dataDir)
  const client = cluster.client()
  await waitFor(async () => (await run(client, 'stays', 'echo still').catch(() => ({ out: '' }))).out === 'still\n', { timeoutMs: 60_000 })
  assert.ok(isReady(await reached(client, 'stays', isReady)))
  const [own, now] = [before, await client.get({ ...PODS, ...DEFAULT, name: 'stays' })].map((p) => p.status?.containerStatuses?.[0])
  assert.deepEqual([now?.containerID, now?.restartCount], [own?.containerID, 0])
  await removed(client, 'stays')
  await nothingLeft()
})

test('a node whose runtime is away is not ready, its containers run on, and it comes back', async () => {
  await using cluster = await start()
  const client = cluster.client()
  await createPod(client, 'runs', { containers: [{ name: 'main', image, command: LASTS }] })
  const pod = await reached(client, 'runs', isReady)
  await machine.stopContainerd()
  await machine.startContainerd()
  const node = await client.get({ ...NODES, name: 'node-1' })
  assert.equal(node.status?.nodeInfo?.containerRuntimeVersion.split(':')[0], 'containerd')
  await waitFor(async () => (await run(client, 'runs', 'echo back').catch(() => ({ out: '' }))).out === 'back\n', { timeoutMs: 60_000 })
  const after = await client.get({ ...PODS, ...DEFAULT, name: 'runs' })
  assert.equal(after.status?.containerStatuses?.[0]?.containerID, pod.status?.containerStatuses?.[0]?.containerID)
  await removed(client, 'runs')
})

test('a node that is a process of its own runs the pods of a cluster that has no other, and those of its files', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  await cluster.listen()
  const staticPodPath = path.join(folder, 'manifests')
  mkdirSync(staticPodPath)
  const clientCa = clientCaOf(cluster.kubeconfig())
  await using _agent = startAgent({ machine, folder, client, name: 'worker-1', clientCa, settings: { staticPodPath } })
  const file = path.join(staticPodPath, 'fixed.json')
  const containers = [{ name: 'main', image, command: LASTS }]
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'fixed' }, spec: { containers } }))
  await createPod(client, 'away', { nodeName: 'worker-1', containers })
  await reached(client, 'away', isReady)
  assert.ok(((await client.get({ ...NODES, name: 'worker-1' })).status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0) > 0)
  assert.equal(await logOf(client, 'away'), 'started\n')
  assert.deepEqual(await run(client, 'away', 'echo out; exit 3'), { out: 'out\n', exitCode: 3 })
  const ofFile = await reached(client, 'fixed-worker-1', isReady)
  assert.match(ofFile.status?.containerStatuses?.[0]?.containerID ?? '', /^containerd:/)
  assert.equal(await logOf(client, 'fixed-worker-1'), 'started\n')
  assert.deepEqual(await run(client, 'fixed-worker-1', 'hostname'), { out: 'fixed-worker-1\n', exitCode: 0 })
  rmSync(file)
  await waitFor(async () => (await client.list({ ...PODS, ...DEFAULT })).items.every((p) => p.metadata.name === 'away'), {
    timeoutMs: 60_000,
  })
  await removed(client, 'away')
  await nothingLeft()
})

test.after(() => machine[Symbol.asyncDispose]())
