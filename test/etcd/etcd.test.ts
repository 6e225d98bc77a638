import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Deployment } from '../../src/resources/types/apps.ts'
import type { ConfigMap } from '../../src/resources/types/core.ts'
import { openEtcdStore } from '../../src/storage/etcd/etcd-store.ts'
import { findEtcd, startRealEtcd } from '../../src/storage/etcd/real-etcd.double.ts'
import type { Expect } from '../../src/storage/store.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { startServerAt } from './servers-on-etcd.ts'

const found = findEtcd()
const skip = 'why' in found ? found.why : false
const program = 'program' in found ? found.program : ''

const CONFIG_MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
const openRaw = (url: URL) =>
  openEtcdStore(
    { urls: [url], tls: { ca: undefined, cert: undefined, key: undefined }, prefix: '/registry/' },
    { clock: systemClock, random: systemRandom(), log: silentLogger },
  )
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('latin1')

test('objects are where kube-apiserver keeps them, and as it writes them', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using server = await startServerAt(etcd.url)
  await using raw = await openRaw(etcd.url)
  const created = await server.client.create(CONFIG_MAPS, configMap('a', { k: 'v' }))
  const entry = await raw.get('configmaps/default/a')
  assert.equal(String(entry?.revision), created.metadata.resourceVersion)
  assert.ok(text(entry?.value).startsWith('k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12'))
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } } as const
  await server.client.create({ ...refs.SERVICES, namespace: 'default' }, service)
  assert.ok(text((await raw.get('ranges/servicenodeports'))?.value).startsWith('k8s\0\n\x15\n\x02v1\x12\x0fRangeAllocation'))
  assert.match(text((await raw.get('apiregistration.k8s.io/apiservices/v1.apps'))?.value), /^\{"kind":"APIService","apiVersion":.*\n$/)
})

test('what every read adds is shown, and not written', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using server = await startServerAt(etcd.url)
  await using raw = await openRaw(etcd.url)
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } as const
  const claim = await server.client.create(
    { ...refs.PERSISTENT_VOLUME_CLAIMS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec },
  )
  assert.equal(claim.status?.phase, 'Pending')
  assert.ok(!text((await raw.get('persistentvolumeclaims/default/c'))?.value).includes('Pending'))
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app' }] } } as const
  const job = await server.client.create(
    { ...refs.JOBS, namespace: 'default' },
    { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } },
  )
  assert.equal(job.metadata.labels?.['batch.kubernetes.io/job-name'], 'j')
  // The template's labels alone.
  assert.equal(text((await raw.get('jobs/default/j'))?.value).match(/batch.kubernetes.io\/job-name/g)?.length, 1)
})

test('two servers on one etcd show what each other writes, and agree on conflicts', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using a = await startServerAt(etcd.url)
  await using b = await startServerAt(etcd.url)
  const created = await a.client.create(CONFIG_MAPS, configMap('a', { k: '1' }))
  const seen = await b.client.get({ ...CONFIG_MAPS, name: 'a' })
  assert.deepEqual(seen, created)
  await b.client.update({ ...CONFIG_MAPS, name: 'a' }, { ...seen, data: { k: '2' } })
  await assert.rejects(a.client.update({ ...CONFIG_MAPS, name: 'a' }, { ...created, data: { k: '3' } }), (e) => isStatus(e, 'Conflict'))
})

test('a list in pages goes on at another server', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using a = await startServerAt(etcd.url)
  await using b = await startServerAt(etcd.url)
  for (const name of ['1', '2', '3', '4', '5']) await a.client.create(CONFIG_MAPS, configMap(name))
  const left: (number | undefined)[] = []
  let page = await a.client.list(CONFIG_MAPS, { limit: 2 })
  for (const { client } of [b, a]) {
    left.push(page.metadata.remainingItemCount)
    page = await client.list(CONFIG_MAPS, { limit: 2, continue: page.metadata.continue ?? '' })
  }
  assert.deepEqual(left, [3, 1])
  assert.deepEqual([page.items.map(({ metadata }) => metadata.name), page.metadata.remainingItemCount], [['5'], undefined])
})

test('a value that another program wrote is read in its own form; one that cannot be read harms no other', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using server = await startServerAt(etcd.url)
  await using raw = await openRaw(etcd.url)
  const put = (name: string, value: string) =>
    raw.commit({ key: `configmaps/default/${name}`, expect: { absent: true }, value: Buffer.from(value) })
  await put('json', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"json","namespace":"default"},"data":{"a":"b"}}')
  await put('yaml', 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: yaml, namespace: default}\ndata: {a: b}\n')
  for (const name of ['json', 'yaml']) assert.deepEqual((await server.client.get<ConfigMap>({ ...CONFIG_MAPS, name })).data, { a: 'b' })
  await put('broken', 'k8s\0garbage')
  await assert.rejects(server.client.get({ ...CONFIG_MAPS, name: 'broken' }), (e) => isStatus(e) && e.status.code === 500)
  await server.client.create(CONFIG_MAPS, configMap('other'))
  assert.equal((await server.client.get({ ...refs.NAMESPACES, name: 'default' })).metadata.name, 'default')
})

test('values that are no objects harm their resource alone, as long as they are there', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using server = await startServerAt(etcd.url)
  await using raw = await openRaw(etcd.url)
  await server.client.create(CONFIG_MAPS, configMap('a'))
  const secret = 'k8s\0\n\x0c\n\x02v1\x12\x06Secret\x12\x0a\n\x08\n\x06secret'
  for (const [value, message] of [
    ['not an object', 'illegal base64 data at input byte 3'],
    ['', 'what is stored is no object'],
    ['k8s\0', 'empty body'],
    ['{"kind":"ConfigMap","apiVersion":"v9","metadata":{"name":"x"}}', /^no kind "ConfigMap" is registered for version "v9"/],
    [secret, 'converting (v1.Secret) to (core.ConfigMap): unknown conversion'],
  ] as const) {
    const key = 'configmaps/default/garbage'
    const put = await raw.commit({ key, expect: { absent: true }, value: Buffer.from(value, 'latin1') })
    await assert.rejects(server.client.get({ ...CONFIG_MAPS, name: 'garbage' }), { code: 500, message })
    await assert.rejects(server.client.list(CONFIG_MAPS), { code: 500, message })
    await assert.rejects(server.client.create(CONFIG_MAPS, configMap('garbage')), (e) => isStatus(e, 'AlreadyExists'))
    const any = await server.client.list(CONFIG_MAPS, { resourceVersion: '0' })
    assert.deepEqual(
      any.items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt'),
      ['a'],
    )
    assert.equal(server.part.watchCache.failed.aborted, false)
    if (put.kind === 'stored') await raw.commit({ key, expect: { revision: put.revision }, value: undefined })
  }
  await server.client.list(CONFIG_MAPS)
})

test('a value that is no object and was there at the start can be deleted and replaced by others', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using raw = await openRaw(etcd.url)
  const put = (name: string, value: string, expect: Expect) =>
    raw.commit({ key: `configmaps/default/${name}`, expect, value: Buffer.from(value) })
  const [b, c] = [await put('b', 'garbage', { absent: true }), await put('c', 'garbage', { absent: true })]
  await using server = await startServerAt(etcd.url)
  assert.ok(b.kind === 'stored' && c.kind === 'stored')
  await raw.commit({ key: 'configmaps/default/b', expect: { revision: b.revision }, value: undefined })
  await put('c', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"default"}}', { revision: c.revision })
  const names = (await server.client.list(CONFIG_MAPS)).items.map(({ metadata }) => metadata.name)
  assert.deepEqual(
    names.filter((name) => name !== 'kube-root-ca.crt'),
    ['c'],
  )
})

test('an etcd that was restored to an older state is shown as it is: no read lies, and writes go on', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using server = await startServerAt(etcd.url)
  await server.client.create(CONFIG_MAPS, configMap('kept'))
  await etcd.kill()
  const copy = `${etcd.folder}-copy`
  cpSync(etcd.folder, copy, { recursive: true })
  await etcd.restart()
  await server.client.create(CONFIG_MAPS, configMap('lost'))
  await etcd.kill()
  rmSync(etcd.folder, { recursive: true })
  cpSync(copy, etcd.folder, { recursive: true })
  rmSync(copy, { recursive: true })
  await etcd.restart()
  let lies = 0
  await waitFor(
    async () => {
      try {
        await server.client.get({ ...CONFIG_MAPS, name: 'lost' })
        lies++
        return true
      } catch (error) {
        return isStatus(error, 'NotFound')
      }
    },
    { what: 'the caches are read again' },
  )
  assert.equal(lies, 0)
  await server.client.create(CONFIG_MAPS, configMap('later'))
  const { items } = await server.client.list(CONFIG_MAPS)
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt'),
    ['kept', 'later'],
  )
})

test('while etcd is away, checks fail, the cache answers, and writes and reads go on when it is back', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using server = await startServerAt(etcd.url)
  await server.client.create(CONFIG_MAPS, configMap('a'))
  const { watchCache } = server.part
  assert.equal(await watchCache.storeResponds(), true)
  await etcd.kill()
  assert.equal(await watchCache.storeResponds(), false)
  const cached = await server.client.list(CONFIG_MAPS, { resourceVersion: '0' })
  assert.ok(cached.items.some(({ metadata }) => metadata.name === 'a'))
  const writing = server.client.create(CONFIG_MAPS, configMap('b'))
  const reading = server.client.get({ ...CONFIG_MAPS, name: 'a' })
  await etcd.restart()
  assert.equal((await writing).metadata.name, 'b')
  assert.equal((await reading).metadata.name, 'a')
})

test('a whole cluster keeps its objects in etcd, and another process continues with them', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  const options = { store: `etcd=${etcd.url.origin}`, port: 0, dataDir: `${etcd.folder}-keys`, thirdPartyResources: false } as const
  const deployment = (name: string) => ({
    apiVersion: 'apps/v1' as const,
    kind: 'Deployment' as const,
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: name }] } },
    },
  })
  const available = async (cluster: Cluster, name: string) =>
    ((await cluster.client().get<Deployment>({ ...refs.DEPLOYMENTS, namespace: 'default', name })).status?.availableReplicas ?? 0) === 1
  try {
    await using cluster = await startCluster(options)
    await cluster.client().create({ ...refs.DEPLOYMENTS, namespace: 'default' }, deployment('web'))
    await waitFor(() => available(cluster, 'web'), { what: 'the pod runs' })
    await cluster[Symbol.asyncDispose]()
    await using again = await startCluster(options)
    assert.equal(await available(again, 'web'), true)
  } finally {
    rmSync(options.dataDir, { recursive: true, force: true })
  }
})
