import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { moveObjects } from '../../src/cluster/moving/move-objects.ts'
import type { LocationDeps } from '../../src/cluster/moving/open-location.ts'
import { parsePlace, type StoreLocation } from '../../src/cluster/moving/store-location.ts'
import { openEncryption } from '../../src/cluster/server/open-encryption.ts'
import { initialValues } from '../../src/machinery/flags/flag.ts'
import { CONFIG_MAPS, SECRETS, SERVICES } from '../../src/resources/refs.ts'
import { readEtcd, STORAGE_FLAGS } from '../../src/server/options/storage.ts'
import { findEtcd, startRealEtcd } from '../../src/storage/etcd/real-etcd.double.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'moving-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const plain = { clock: systemClock, log: silentLogger, random: systemRandom() }
const etcd = readEtcd({ values: initialValues(STORAGE_FLAGS) })
const placeDeps = (encryption?: LocationDeps['encryption']): LocationDeps => ({ ...plain, etcd, encryption })
const move = (from: StoreLocation, to: StoreLocation, deps: { from?: LocationDeps; to?: LocationDeps } = {}) =>
  moveObjects({ from, to }, { from: deps.from ?? placeDeps(), to: deps.to ?? placeDeps(), progress: () => {} })

const start = (dataDir: string, options = {}) => startCluster({ dataDir, ephemeral: false, parts: ['server'], ...options })

async function fill(cluster: Cluster): Promise<void> {
  const client = cluster.client()
  const metadata = { namespace: 'default', name: 'one' }
  await client.create({ ...SECRETS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { a: 'the secret' } })
  await client.create({ ...CONFIG_MAPS, namespace: 'default' }, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } })
  await client.create(
    { ...SERVICES, namespace: 'default' },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } },
  )
}

/** The secret, config map and service of `fill`. `revisions`: as they are at the end of the story. */
async function filled(cluster: Cluster, revisions = true) {
  const at = { namespace: 'default', name: 'one' }
  const objects = [
    await cluster.client().get({ ...SECRETS, ...at }),
    await cluster.client().get({ ...CONFIG_MAPS, ...at }),
    await cluster.client().get({ ...SERVICES, ...at }),
  ]
  return objects.map((object) => (revisions ? object : { ...object, metadata: { ...object.metadata, resourceVersion: '' } }))
}

function encryptionFile(folder: string): string {
  const file = path.join(folder, 'encryption.yaml')
  const keys = [{ name: 'a', secret: Buffer.alloc(32, 'a').toString('base64') }]
  const resources = [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }] }]
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }))
  return file
}

test('objects move between engines with their revisions, and are encrypted where a configuration says so', async (t) => {
  const folder = folderOf(t)
  const at = (name: string) => path.join(folder, name)
  let before: unknown
  {
    await using cluster = await start(at('first'))
    await fill(cluster)
    before = await filled(cluster)
  }
  const file = encryptionFile(folder)
  const encryption = await openEncryption({ file, reloads: false }, plain)
  await using live = encryption.live
  void live
  await move({ kind: 'sqlite', folder: at('first') }, { kind: 'file', folder: at('second') })
  await move({ kind: 'file', folder: at('second') }, { kind: 'snapshot', file: at('third') })
  const moved = await move({ kind: 'snapshot', file: at('third') }, { kind: 'sqlite', folder: at('last') }, { to: placeDeps(encryption) })
  assert.equal(moved.keptRevisions, true)
  assert.equal(
    readFileSync(path.join(at('last'), 'store', 'store.db'), 'latin1').includes(Buffer.from('the secret').toString('base64')),
    false,
  )
  await using cluster = await start(at('last'), { encryptionProviderConfig: file })
  assert.deepEqual(await filled(cluster), before)
})

test('what is there already is never written over, and a place that is none is named', async (t) => {
  const folder = folderOf(t)
  writeFileSync(path.join(folder, 'taken'), '')
  await assert.rejects(move({ kind: 'sqlite', folder }, { kind: 'snapshot', file: path.join(folder, 'new') }), /there is no store in/)
  await assert.rejects(move({ kind: 'sqlite', folder }, { kind: 'snapshot', file: path.join(folder, 'taken') }), /exists already/)
  assert.equal(parsePlace('nowhere'), undefined)
})

test('a cluster starts from exported objects in a data folder, and again without them', async (t) => {
  const folder = folderOf(t)
  const at = (name: string) => path.join(folder, name)
  const before = await start(at('first'))
  await fill(before)
  const expected = await filled(before)
  await before[Symbol.asyncDispose]()
  await move({ kind: 'sqlite', folder: at('first') }, { kind: 'snapshot', file: at('export') })
  for (const options of [{ from: at('export') }, {}]) {
    await using after = await start(at('second'), options)
    assert.equal(after.config.dataDir, at('second'))
    assert.deepEqual(await filled(after), expected)
  }
  await assert.rejects(start(at('second'), { from: at('export') }), /holds a cluster already/)
})

test('a file that is no snapshot of etcd, or is damaged, is refused', async (t) => {
  const folder = folderOf(t)
  const file = path.join(folder, 'db')
  const to: StoreLocation = { kind: 'snapshot', file: path.join(folder, 'new') }
  await assert.rejects(move({ kind: 'etcd-snapshot', file }, to), /cannot be read/)
  writeFileSync(file, Buffer.alloc(4096))
  await assert.rejects(move({ kind: 'etcd-snapshot', file }, to), /it is no database of etcd/)
  writeFileSync(file, Buffer.alloc(4096 + 32))
  await assert.rejects(move({ kind: 'etcd-snapshot', file }, to), /its checksum is wrong/)
})

const found = findEtcd()
test('objects move into a real etcd, and a cluster opens a snapshot of it', { skip: 'why' in found && found.why }, async (t) => {
  if (!('program' in found)) return
  const folder = folderOf(t)
  let before: unknown
  {
    await using cluster = await start(path.join(folder, 'first'))
    await fill(cluster)
    before = await filled(cluster, false)
  }
  const file = encryptionFile(folder)
  const encryption = await openEncryption({ file, reloads: false }, plain)
  await using live = encryption.live
  void live
  await using member = await startRealEtcd(found.program)
  const to: StoreLocation = { kind: 'etcd', servers: [member.url.href] }
  const moved = await move({ kind: 'sqlite', folder: path.join(folder, 'first') }, to, { to: placeDeps(encryption) })
  assert.equal(moved.keptRevisions, false)
  await assert.rejects(move({ kind: 'sqlite', folder: path.join(folder, 'first') }, to), /has keys below this prefix already/)
  // A member that ends in order has everything in its database.
  member.process.kill('SIGTERM')
  await once(member.process, 'exit')
  const fromEtcdSnapshot = path.join(member.folder, 'member', 'snap', 'db')
  await using cluster = await startCluster({ fromEtcdSnapshot, encryptionProviderConfig: file })
  assert.deepEqual(await filled(cluster, false), before)
})
