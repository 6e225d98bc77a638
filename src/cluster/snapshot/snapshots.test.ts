import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ConfigMap } from '../../resources/types/core.ts'
import type { Client, WatchEvent } from '../../sdk/client/client.ts'
import { SnapshotError } from '../../storage/snapshot/snapshot-error.ts'
import { configMap, deployment } from '../../testing/builders.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import type { Cluster } from '../cluster.ts'

const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' }
const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'default' }
const events = { group: '', version: 'v1', resource: 'events', namespace: 'default' }

const virtual = () => {
  const clock = new VirtualClock()
  return { clock, deps: { clock, random: seededRandom(1) } }
}

/** A cluster with a running deployment. */
async function prepared(options = {}) {
  const { clock, deps } = virtual()
  const cluster = await startCluster(options, deps)
  await cluster.client().create(deployments, deployment('web', { replicas: 2 }))
  await clock.advance(30_000)
  return { cluster, clock }
}

type Running = KubeObject & {
  readonly status?: { readonly phase?: string; readonly podIP?: string; readonly containerStatuses?: readonly unknown[] }
}

/** The part of the pods that must not change while nothing happens. */
async function runs(client: Client): Promise<unknown[]> {
  const { items } = await client.list<Running>(pods)
  return items.map(({ metadata, status }) => [
    metadata.name,
    metadata.uid,
    metadata.resourceVersion,
    status?.phase,
    status?.podIP,
    status?.containerStatuses,
  ])
}

const phases = async (cluster: Cluster) => (await cluster.client().list<Running>(pods)).items.map((pod) => pod.status?.phase)

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'snapshots-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const failsWith = (code: string) => (error: unknown) => error instanceof SnapshotError && error.code === code

test('in a fork the pods go on running, untouched, and its deployments are reconciled', async () => {
  const { cluster } = await prepared()
  await using original = cluster
  const before = await runs(original.client())
  assert.deepEqual(await phases(original), ['Running', 'Running'])
  const clock = new VirtualClock()
  await using fork = await original.fork({}, { clock })
  await clock.advance(120_000)
  assert.deepEqual(await runs(fork.client()), before)
  await fork.client().patch({ ...deployments, name: 'web' }, 'merge', { spec: { replicas: 4 } })
  await clock.advance(30_000)
  assert.deepEqual(await phases(fork), ['Running', 'Running', 'Running', 'Running'])
  assert.deepEqual(await runs(original.client()), before)
})

test('what is written on either side of a fork is not seen on the other, and revisions go on from the same one', async () => {
  const { deps } = virtual()
  await using original = await startCluster({ parts: ['server'] }, deps)
  const first = await original.client().create(configMaps, configMap('shared', { at: 'start' }))
  await using a = await original.fork()
  await using b = await original.fork()
  const written = await Promise.all([original, a, b].map((c, i) => c.client().create(configMaps, configMap(`own-${i}`, {}))))
  const next = String(Number(first.metadata.resourceVersion) + 1)
  assert.deepEqual(
    written.map((object) => object.metadata.resourceVersion),
    [next, next, next],
  )
  await a.client().update({ ...configMaps, name: 'shared' }, { ...first, data: { at: 'a' } })
  const names = async (c: Cluster) =>
    (await c.client().list<KubeObject & { data?: { at?: string } }>(configMaps)).items
      .map((o) => `${o.metadata.name}:${o.data?.at ?? ''}`)
      .filter((n) => !n.startsWith('kube-root'))
  assert.deepEqual(await Promise.all([original, a, b].map(names)), [
    ['own-0:', 'shared:start'],
    ['own-1:', 'shared:a'],
    ['own-2:', 'shared:start'],
  ])
})

test('a watch from the revision of the list continues in the fork', async () => {
  const { deps } = virtual()
  await using original = await startCluster({ parts: ['server'] }, deps)
  const { metadata } = await original.client().list(configMaps)
  await using fork = await original.fork()
  await fork.client().create(configMaps, configMap('new', {}))
  const watch = fork.client().watch<KubeObject>(configMaps, { resourceVersion: metadata.resourceVersion ?? '' })
  const { value } = await watch[Symbol.asyncIterator]().next()
  assert.deepEqual(
    value?.map((event: WatchEvent<KubeObject>) => event.type === 'ADDED' && event.object.metadata.name),
    ['new'],
  )
})

test('a fork outlives what it was forked from, and can be forked itself', async () => {
  const { deps } = virtual()
  const original = await startCluster({ parts: ['server'] }, deps)
  await original.client().create(configMaps, configMap('kept', {}))
  const fork = await original.fork()
  await original[Symbol.asyncDispose]()
  await using second = await fork.fork()
  await fork[Symbol.asyncDispose]()
  assert.equal((await second.client().get({ ...configMaps, name: 'kept' })).metadata.name, 'kept')
})

test('a token and a kubeconfig of the original are good for the fork and for what was saved', async (t) => {
  const { deps } = virtual()
  await using original = await startCluster({ parts: ['server', 'controllers'] }, deps)
  await deps.clock.advance(5_000)
  const account = { group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default', name: 'default', subresource: 'token' }
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { audiences: [] } }
  const { status } = await original.client().create<KubeObject & { status?: { token?: string } }>(account, request)
  const file = path.join(folderOf(t), 'saved')
  await original.save(file)
  await using fork = await original.fork()
  await using loaded = await startCluster({ from: file }, virtual().deps)
  const review = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }
  const spec = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token: status?.token } }
  for (const cluster of [original, fork, loaded]) {
    const answer = await cluster.client().create<KubeObject & { status?: { authenticated?: boolean } }>(review, spec)
    assert.equal(answer.status?.authenticated, true)
  }
  const authority = async (cluster: Cluster) => {
    await cluster.listen()
    return /certificate-authority-data: (\S+)/.exec(cluster.kubeconfig())?.[1]
  }
  const own = await authority(original)
  assert.ok(own)
  assert.deepEqual([await authority(fork), await authority(loaded)], [own, own])
})

test('a saved cluster begins where it was saved: objects, pods, options and time', async (t) => {
  const { cluster, clock } = await prepared({ nodes: 2, serviceCidr: '10.96.0.0/16', clusterCidr: '10.244.0.0/16' })
  await using original = cluster
  const file = path.join(folderOf(t), 'saved')
  await original.save(file)
  const own = virtual()
  await using loaded = await startCluster({ from: file }, own.deps)
  assert.equal(own.clock.now(), clock.now())
  const { serviceCidr, clusterCidr } = loaded.config
  assert.deepEqual([loaded.nodeNames, serviceCidr, clusterCidr], [['node-1', 'node-2'], '10.96.0.0/16', '10.244.0.0/16'])
  const before = await runs(original.client())
  await own.clock.advance(60_000)
  assert.deepEqual(await runs(loaded.client()), before)
  await loaded.client().patch({ ...deployments, name: 'web' }, 'merge', { spec: { replicas: 3 } })
  await own.clock.advance(30_000)
  assert.equal((await phases(loaded)).length, 3)
  assert.deepEqual(await runs(original.client()), before)
})

test('options that are given win over those that were saved', async (t) => {
  await using original = await startCluster({ nodes: 3, parts: ['server'] }, virtual().deps)
  const file = path.join(folderOf(t), 'saved')
  await original.save(file)
  await using loaded = await startCluster({ from: file, nodes: 1 }, virtual().deps)
  assert.deepEqual([loaded.config.nodes, [...loaded.config.parts]], [1, ['server']])
})

test('a file initializes a data folder once; later starts do not need it', async (t) => {
  const folder = folderOf(t)
  const [file, dataDir] = [path.join(folder, 'saved'), path.join(folder, 'data')]
  const { deps } = virtual()
  await using original = await startCluster({ parts: ['server'] }, deps)
  await original.client().create(configMaps, configMap('kept', {}))
  await original.save(file)
  {
    await using first = await startCluster({ from: file, dataDir }, deps)
    await first.client().create(configMaps, configMap('later', {}))
    await assert.rejects(startCluster({ from: file, dataDir }, deps), failsWith('occupied'))
    // A store in a file can be saved and forked like one in memory.
    await using fork = await first.fork()
    assert.equal((await fork.client().get({ ...configMaps, name: 'later' })).metadata.name, 'later')
    assert.equal(fork.config.dataDir, undefined)
  }
  await using again = await startCluster({ dataDir, parts: ['server'] }, deps)
  for (const name of ['kept', 'later']) assert.equal((await again.client().get({ ...configMaps, name })).metadata.name, name)
})

test('a data folder that is initialized from a file is encrypted by the configuration', async (t) => {
  const folder = folderOf(t)
  const file = path.join(folder, 'saved')
  const dataDir = path.join(folder, 'data')
  const encryptionProviderConfig = path.join(folder, 'encryption.yaml')
  const secretbox = { keys: [{ name: 'one', secret: Buffer.alloc(32, 7).toString('base64') }] }
  const resources = [{ resources: ['configmaps'], providers: [{ secretbox }] }]
  writeFileSync(
    encryptionProviderConfig,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }),
  )
  const { deps } = virtual()
  await using original = await startCluster({ parts: ['server'] }, deps)
  await original.client().create(configMaps, configMap('kept', { secret: 'correct-horse-battery' }))
  await original.save(file)
  const options = { dataDir, encryptionProviderConfig } as const
  {
    await using first = await startCluster({ ...options, from: file }, deps)
    assert.equal((await first.client().get<ConfigMap>({ ...configMaps, name: 'kept' })).data?.secret, 'correct-horse-battery')
  }
  const stored = Buffer.concat(readdirSync(path.join(dataDir, 'store')).map((name) => readFileSync(path.join(dataDir, 'store', name))))
  assert.equal(stored.includes('k8s:enc:secretbox:v1:one:'), true)
  assert.equal(stored.includes('correct-horse-battery'), false)
})

test('a file that is no snapshot is refused, and nothing is begun', async (t) => {
  const dataDir = path.join(folderOf(t), 'data')
  await assert.rejects(startCluster({ from: import.meta.filename, dataDir }), failsWith('not-a-snapshot'))
  assert.ok(!existsSync(dataDir))
})

test('a cluster that was saved in the future of this clock is refused by name', async (t) => {
  const clock = new VirtualClock(Date.UTC(2200, 0, 1))
  await using original = await startCluster({ parts: ['server'] }, { clock })
  const file = path.join(folderOf(t), 'saved')
  await original.save(file)
  await assert.rejects(startCluster({ from: file }), failsWith('time'))
})

test('a fork repeats the start events of its nodes, and no events of their pods', async () => {
  const { cluster } = await prepared()
  await using original = cluster
  const reported = async (of: Cluster) =>
    (await of.client().list<KubeObject & { involvedObject?: { kind?: string }; reason?: string }>(events)).items.map(
      ({ metadata, involvedObject, reason }) => ({ name: metadata.name, kind: involvedObject?.kind, reason }),
    )
  const before = new Set((await reported(original)).map(({ name }) => name))
  const clock = new VirtualClock()
  await using fork = await original.fork({}, { clock })
  await clock.advance(60_000)
  const news = (await reported(fork)).filter(({ name }) => !before.has(name))
  assert.deepEqual(
    news.filter(({ kind }) => kind !== 'Node'),
    [],
  )
  assert.ok(
    news.some(({ reason }) => reason === 'RegisteredNode'),
    JSON.stringify(news),
  )
})

test('clusters that start from one checkpoint are independent, of each other and of what came later', async () => {
  const { clock, deps } = virtual()
  await using cluster = await startCluster({ parts: ['server'] }, deps)
  await cluster.client().create(configMaps, configMap('before'))
  const checkpoint = await cluster.checkpoint()
  await cluster.client().create(configMaps, configMap('after'))
  await clock.advance(60_000)
  const names = async (of: Cluster) => (await of.client().list(configMaps)).items.map((map) => map.metadata.name)
  for (const own of ['one', 'two']) {
    await using fork = await checkpoint.fork({}, virtual().deps)
    await fork.client().create(configMaps, configMap(own))
    assert.deepEqual(await names(fork), ['before', own])
  }
  assert.deepEqual(await names(cluster), ['after', 'before'])
})
