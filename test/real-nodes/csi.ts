/** The tests of `csi.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { createCsiControllers } from '../../src/controllers/all/controller-set.ts'
import { openDriverClient } from '../../src/controllers/csi/driver-client.ts'
import {
  CORE_EVENTS,
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from '../../src/resources/refs.ts'
import type { PersistentVolumeClaim, Pod, PodSpec, Volume } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { serveCsiDriver } from '../../src/sdk/csi/serve-csi-driver.ts'
import { connectUnix } from '../../src/sdk/grpc/connect-unix.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { ask } from '../node/api-request.ts'
import { folderDriver } from './csi/folder-driver.ts'
import { findRuntime } from './found-runtime.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { isReady } from './real-pods.ts'
import { startAgent } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)

const NAME = 'folders.example.com'
const KUBELET = '/var/lib/kubelet'
const place = { namespace: 'default' }
const start = (dataDir?: string): Promise<Cluster> =>
  startCluster({ runtime: machine.endpoint, kubeletConfig: kubeletConfig(machine), ...(dataDir !== undefined && { dataDir }) })

const volumesRoot = path.join(folder, 'volumes')
const socket = path.join(KUBELET, 'plugins', NAME, 'csi.sock')
const serve = () =>
  serveCsiDriver(folderDriver({ name: NAME, root: volumesRoot, nodeId: 'this-machine' }), {
    socket,
    registry: path.join(KUBELET, 'plugins_registry'),
  })

const LASTS = ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done"]

function podWith(name: string, volume: Omit<Volume, 'name'>, spec: Partial<PodSpec> = {}): Pod {
  const containers = [{ name: 'main', image, command: LASTS, volumeMounts: [{ name: 'data', mountPath: '/data' }] }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 2, containers, volumes: [{ name: 'data', ...volume }], ...spec },
  }
}

async function ready(client: Client, name: string): Promise<void> {
  await waitFor(async () => isReady(await client.get({ ...PODS, ...place, name })), { timeoutMs: 60_000 })
}

async function removed(client: Client, name: string): Promise<void> {
  await client.delete({ ...PODS, ...place, name })
  await waitFor(async () => (await client.list({ ...PODS, ...place })).items.every((p) => p.metadata.name !== name), { timeoutMs: 60_000 })
}

async function run(client: Client, name: string, script: string): Promise<string> {
  await using process = await client.exec({ ...place, name }, ['sh', '-c', script])
  let out = ''
  for await (const chunk of process.stdout) out += Buffer.from(chunk).toString()
  await process.exit
  return out.trim()
}

interface ShownVolume {
  readonly name: string
  readonly capacityBytes: number
  readonly pvcRef?: object
}

/** What the node's `/stats/summary` says of the volume `data` of a pod. */
async function volumeStats(cluster: Cluster, pod: string): Promise<ShownVolume | undefined> {
  const { body } = await ask(cluster, `/api/v1/nodes/${NODE}/proxy/stats/summary`)
  const { pods } = JSON.parse(body) as { pods: { podRef: { name: string }; volume?: ShownVolume[] }[] }
  return pods.find((one) => one.podRef.name === pod)?.volume?.find((one) => one.name === 'data')
}

const mountsOf = () =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .filter((at) => at.includes('kubernetes.io'))

const staged = path.join(KUBELET, 'plugins', 'kubernetes.io', 'csi', NAME)
const nothingMounted = () =>
  waitFor(() => mountsOf().length === 0 && (!existsSync(staged) || readdirSync(staged).length === 0), { timeoutMs: 30_000 })

const createDriver = (client: Client, attachRequired: boolean) =>
  client.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: NAME },
    spec: {
      attachRequired,
      storageCapacity: true,
      podInfoOnMount: true,
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      fsGroupPolicy: 'File',
    },
  })

const NODE = 'node-1'

async function registered(client: Client): Promise<void> {
  await waitFor(async () => {
    const { items } = await client.list(CSI_NODES)
    return items.some(({ spec }) => spec.drivers?.some((d) => d.name === NAME && d.nodeID === 'this-machine'))
  })
}

test('a driver registers with its node, and a pod has a volume that it describes itself', async () => {
  await using cluster = await start()
  const client = cluster.client()
  await using _driver = await serve()
  await registered(client)
  const { metadata } = await client.get({ ...NODES, name: NODE })
  assert.equal(metadata.labels?.[`topology.${NAME}/node`], 'this-machine')
  assert.equal(metadata.annotations?.['csi.volume.kubernetes.io/nodeid'], JSON.stringify({ [NAME]: 'this-machine' }))
  const inline = podWith('inline', { csi: { driver: NAME, volumeAttributes: { size: '1Mi' } } }, { securityContext: { fsGroup: 4321 } })
  await client.create({ ...PODS, ...place }, inline)
  const refused = 'MountVolume.NewMounter initialization failed for volume "data" : volume mode "Ephemeral" not supported by driver'
  await waitFor(async () => (await client.list({ ...CORE_EVENTS, ...place })).items.some((e) => e.message?.startsWith(refused)), {
    timeoutMs: 30_000,
  })
  await createDriver(client, false)
  await ready(client, 'inline')
  assert.equal(await run(client, 'inline', 'echo x > /data/f; stat -c "%a %g" /data /data/f'), '2775 4321\n644 4321')
  await removed(client, 'inline')
  await nothingMounted()
  assert.deepEqual(readdirSync(volumesRoot), [])
})

/** What `bowsprit csi` runs. */
async function startControllers(cluster: Cluster): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const connection = await connectUnix(socket, { clock: systemClock })
  const driver = await openDriverClient(connection, systemClock.now(), stop.signal)
  const deps = { client: cluster.client(), clock: systemClock, random: systemRandom(), log: silentLogger }
  const running = createCsiControllers(driver, deps).run(stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      connection[Symbol.dispose]()
    },
  }
}

const claimOf = (name: string, storage: string, volumeMode: 'Filesystem' | 'Block' = 'Filesystem'): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { storageClassName: 'folders', accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, volumeMode },
})

const createClass = (client: Client) =>
  client.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'folders' },
    provisioner: NAME,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  })

test('a claim gets a volume that is attached, mounted, grows, and outlives its pod and the agent', async () => {
  const dataDir = path.join(folder, 'data')
  await using _driver = await serve()
  const claims = { ...PERSISTENT_VOLUME_CLAIMS, ...place, name: 'data' }
  {
    await using cluster = await start(dataDir)
    const client = cluster.client()
    await registered(client)
    await using _controllers = await startControllers(cluster)
    await createDriver(client, true)
    await createClass(client)
    await waitFor(async () => (await client.list(CSI_STORAGE_CAPACITIES)).items.length === 1, { timeoutMs: 30_000 })
    const [room] = (await client.list(CSI_STORAGE_CAPACITIES)).items
    assert.deepEqual(room?.nodeTopology, { matchLabels: { [`topology.${NAME}/node`]: 'this-machine' } })
    await client.create({ ...PERSISTENT_VOLUME_CLAIMS, ...place }, claimOf('data', '1Mi'))
    await client.create({ ...PODS, ...place }, podWith('one', { persistentVolumeClaim: { claimName: 'data' } }))
    await ready(client, 'one')
    assert.equal(await run(client, 'one', 'echo kept > /data/f; cat /data/f'), 'kept')
    await waitFor(async () => ((await volumeStats(cluster, 'one'))?.capacityBytes ?? 0) > 0, { timeoutMs: 30_000 })
    assert.deepEqual((await volumeStats(cluster, 'one'))?.pvcRef, { name: 'data', namespace: 'default' })
    const [attachment] = (await client.list(VOLUME_ATTACHMENTS)).items
    assert.deepEqual([attachment?.spec.attacher, attachment?.status?.attached], [NAME, true])
    await waitFor(async () => (await client.get({ ...NODES, name: NODE })).status?.volumesInUse?.length === 1, { timeoutMs: 30_000 })
    await removed(client, 'one')
    await nothingMounted()
    await waitFor(async () => (await client.list(VOLUME_ATTACHMENTS)).items.length === 0, { timeoutMs: 30_000 })
    await client.create({ ...PODS, ...place }, podWith('two', { persistentVolumeClaim: { claimName: 'data' } }))
    await ready(client, 'two')
    assert.equal(await run(client, 'two', 'cat /data/f'), 'kept')
  }
  // What is mounted outlives the agent.
  assert.ok(mountsOf().length > 0)
  await using cluster = await start(dataDir)
  const client = cluster.client()
  await using _controllers = await startControllers(cluster)
  // Its status is from before: the agent may not be there yet.
  await waitFor(
    () =>
      run(client, 'two', 'cat /data/f').then(
        (out) => out === 'kept',
        () => false,
      ),
    { timeoutMs: 30_000 },
  )
  await client.patch(claims, 'merge', { spec: { resources: { requests: { storage: '2Mi' } } } })
  await waitFor(async () => (await client.get(claims)).status?.allocatedResourceStatuses?.storage === 'NodeResizePending', {
    timeoutMs: 30_000,
  })
  await removed(client, 'two')
  await nothingMounted()
  await client.create({ ...PODS, ...place }, podWith('three', { persistentVolumeClaim: { claimName: 'data', readOnly: true } }))
  await ready(client, 'three')
  await waitFor(async () => (await client.get(claims)).status?.capacity?.storage === '2Mi', { timeoutMs: 30_000 })
  assert.equal(await run(client, 'three', 'cat /data/f; touch /data/g 2>/dev/null || echo refused'), 'kept\nrefused')
  await removed(client, 'three')
  await nothingMounted()
  await client.delete(claims)
  await waitFor(() => readdirSync(volumesRoot).length === 0, { timeoutMs: 60_000 })
  await waitFor(async () => (await client.list(PERSISTENT_VOLUMES)).items.length === 0, { timeoutMs: 30_000 })
})

const devices = path.join(staged, '..', 'volumeDevices')

test('a volume is a device of its pod, for reading alone if the pod says so; one pod after the other finds what is on it', async () => {
  await using cluster = await start()
  const client = cluster.client()
  await using _driver = await serve()
  await registered(client)
  await using _controllers = await startControllers(cluster)
  await createDriver(client, true)
  await createClass(client)
  await client.create({ ...PERSISTENT_VOLUME_CLAIMS, ...place }, claimOf('disk', '1Mi', 'Block'))
  const withDevice = (name: string, readOnly: boolean) => {
    const containers = [{ name: 'main', image, command: LASTS, volumeDevices: [{ name: 'data', devicePath: '/dev/disk' }] }]
    return podWith(name, { persistentVolumeClaim: { claimName: 'disk', readOnly } }, { containers })
  }
  await client.create({ ...PODS, ...place }, withDevice('writer', false))
  await ready(client, 'writer')
  const size = 'test -b /dev/disk && blockdev --getsize64 /dev/disk'
  assert.equal(await run(client, 'writer', `${size} && echo words | dd of=/dev/disk conv=sync bs=512 2>/dev/null`), '1048576')
  const mounted = podWith('mounted', { persistentVolumeClaim: { claimName: 'disk' } }, { nodeName: NODE })
  await client.create({ ...PODS, ...place }, mounted)
  const fault = 'volume data has volumeMode Block, but is specified in volumeMounts'
  await waitFor(async () => (await client.list({ ...CORE_EVENTS, ...place })).items.some((e) => e.message?.endsWith(fault)), {
    timeoutMs: 30_000,
  })
  for (const name of ['mounted', 'writer']) await removed(client, name)
  await client.create({ ...PODS, ...place }, withDevice('reader', true))
  await ready(client, 'reader')
  const script = 'head -c 5 /dev/disk; echo x > /dev/disk 2>/dev/null || echo " refused"'
  assert.equal(await run(client, 'reader', script), 'words refused')
  await removed(client, 'reader')
  await nothingMounted()
  await waitFor(() => readdirSync(devices).every((name) => readdirSync(path.join(devices, name)).length === 0), { timeoutMs: 30_000 })
  await client.delete({ ...PERSISTENT_VOLUME_CLAIMS, ...place, name: 'disk' })
  await waitFor(() => readdirSync(volumesRoot).length === 0, { timeoutMs: 60_000 })
  assert.equal(execFileSync('losetup', ['-a'], { encoding: 'utf8' }).includes(folder), false, 'no loop device is left')
})

test('what a pod had is taken away, although it was deleted while no agent ran', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  const agent = () => startAgent({ machine, folder, client, name: NODE })
  await using _driver = await serve()
  {
    await using _agent = agent()
    await registered(client)
    await using _controllers = await startControllers(cluster)
    await createDriver(client, true)
    await createClass(client)
    await client.create({ ...PERSISTENT_VOLUME_CLAIMS, ...place }, claimOf('data', '1Mi'))
    const claimed = podWith('claimed', { persistentVolumeClaim: { claimName: 'data' } })
    const inline = podWith('inline', { csi: { driver: NAME, volumeAttributes: { size: '1Mi' } } })
    for (const pod of [claimed, inline]) await client.create({ ...PODS, ...place }, pod)
    for (const name of ['claimed', 'inline']) await ready(client, name)
  }
  for (const name of ['claimed', 'inline']) await client.delete({ ...PODS, ...place, name }, { gracePeriodSeconds: 0 })
  assert.ok(mountsOf().length > 0)
  await using _agent = agent()
  await nothingMounted()
  await waitFor(() => readdirSync(path.join(KUBELET, 'pods')).length === 0, { timeoutMs: 30_000 })
})

test.after(() => machine[Symbol.asyncDispose]())
