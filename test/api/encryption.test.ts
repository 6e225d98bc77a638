import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { SECRETS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { pageText } from './page-text.ts'

const PASSWORD = 'correct horse battery staple'
const STORED = Buffer.from(PASSWORD).toString('base64')
const secrets = { ...SECRETS, namespace: 'default' }

const secretOf = (fill: string) => Buffer.alloc(32, fill).toString('base64')

interface Written {
  readonly resources?: readonly string[]
  readonly providers: readonly object[]
}
const aescbc = (name: string) => ({ aescbc: { keys: [{ name, secret: secretOf(name) }] } })
const secretbox = (name: string) => ({ secretbox: { keys: [{ name, secret: secretOf(name) }] } })
const identity = { identity: {} }

function folderOf(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'encryption-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'encryption.yaml')
  return {
    file,
    dataDir: path.join(folder, 'data'),
    configure({ resources = ['secrets'], providers }: Written): void {
      const configuration = {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources, providers }],
      }
      writeFileSync(file, JSON.stringify(configuration))
    },
  }
}

const start = (dataDir: string, file?: string, options = {}) =>
  startCluster({ dataDir, ephemeral: false, parts: ['server'], ...(file && { encryptionProviderConfig: file }), ...options })

const create = (cluster: Cluster, name: string) =>
  cluster
    .client()
    .create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, stringData: { password: PASSWORD } })

/** All bytes of the store's folder. */
function onDisk(dataDir: string): string {
  const folder = path.join(dataDir, 'store')
  return readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('')
}

test('a secret is not readable on the disk, and the cluster reads it after a restart', async (t) => {
  const { dataDir, file, configure } = folderOf(t)
  configure({ providers: [aescbc('a'), identity] })
  {
    await using cluster = await start(dataDir, file)
    await create(cluster, 'plain-to-clients')
  }
  const bytes = onDisk(dataDir)
  assert.ok(bytes.includes('k8s:enc:aescbc:v1:a:'))
  assert.equal(bytes.includes(STORED), false)
  await using cluster = await start(dataDir, file)
  const read = await cluster.client().get({ ...secrets, name: 'plain-to-clients' })
  assert.deepEqual(read.data, { password: STORED })
})

test('after a rotation the next update writes a value anew, even one without a change', async (t) => {
  const { dataDir, file, configure } = folderOf(t)
  configure({ providers: [aescbc('a'), identity] })
  {
    await using cluster = await start(dataDir, file)
    await create(cluster, 'old')
  }
  configure({ providers: [secretbox('b'), aescbc('a')] })
  await using cluster = await start(dataDir, file)
  const client = cluster.client()
  const before = await client.get({ ...secrets, name: 'old' })
  const written = await client.update({ ...secrets, name: 'old' }, before)
  assert.notEqual(written.metadata.resourceVersion, before.metadata.resourceVersion)
  const again = await client.update({ ...secrets, name: 'old' }, written)
  assert.equal(again.metadata.resourceVersion, written.metadata.resourceVersion)
  assert.ok(onDisk(dataDir).includes('k8s:enc:secretbox:v1:b:'))
})

test('a changed configuration is followed; a broken one leaves the old one in use', async (t) => {
  const { dataDir, file, configure } = folderOf(t)
  configure({ providers: [aescbc('a'), identity] })
  await using cluster = await start(dataDir, file, { encryptionProviderConfigAutomaticReload: true })
  await create(cluster, 'old')
  configure({ providers: [secretbox('b'), aescbc('a'), identity] })
  for (let i = 0; !onDisk(dataDir).includes('k8s:enc:secretbox:v1:b:'); i++) {
    await create(cluster, `new-${i}`)
    await systemClock.sleep(10)
  }
  assert.match(await pageText(cluster, '/readyz?verbose'), /\[\+\]kms-providers ok\n\[\+\]informer-sync ok/)
  writeFileSync(file, 'nonsense: [')
  await systemClock.sleep(50)
  await create(cluster, 'after-nonsense')
  const { items } = await cluster.client().list(secrets)
  assert.ok(items.every(({ data }) => data?.password === STORED))
  assert.equal(onDisk(dataDir).includes(STORED), false)
  const metrics = await pageText(cluster, '/metrics')
  const transformed = 'apiserver_storage_transformation_operations_total{resource="secrets",status="OK",transformation_type="to_storage"'
  assert.ok(metrics.includes(`${transformed},transformer_prefix="k8s:enc:secretbox:v1:"}`))
  assert.match(metrics, /apiserver_encryption_config_controller_automatic_reloads_total\{[^}]*status="success"\} 1/)
})

test('a configuration that cannot be used is refused in the words of kube-apiserver', async (t) => {
  const { dataDir, file } = folderOf(t)
  await assert.rejects(start(dataDir, file), {
    code: 'bad-option',
    message: `--encryption-provider-config: error while parsing file: error while loading file: error reading encryption provider configuration file "${file}": open ${file}: no such file or directory`,
  })
})

/** The text of a page, for the administrator. */
test('without the key of a value the others are served, and whoever needs it is told', async (t) => {
  const { dataDir, file, configure } = folderOf(t)
  configure({ providers: [aescbc('a')] })
  {
    await using cluster = await start(dataDir, file)
    await create(cluster, 'lost')
  }
  configure({ providers: [aescbc('b')] })
  await using cluster = await start(dataDir, file)
  await create(cluster, 'fresh')
  const client = cluster.client()
  const why = 'no matching key was found for the provided AES transformer'
  const lost = { ...secrets, name: 'lost' }
  await assert.rejects(client.get(lost), { code: 500, message: `Internal error occurred: ${why}` })
  await assert.rejects(client.delete(lost), { code: 500, message: `Internal error occurred: ${why}` })
  await assert.rejects(create(cluster, 'lost'), { code: 409, message: 'secrets "lost" already exists' })
  await assert.rejects(client.list(secrets), {
    code: 429,
    message: `storage is (re)initializing: failed to list *core.Secret: unable to transform key "/registry/secrets/default/lost": ${why}`,
  })
  assert.equal((await client.get({ ...secrets, name: 'fresh' })).metadata.name, 'fresh')
  const ready = await pageText(cluster, '/readyz?verbose')
  assert.match(ready, /\[-\]informer-sync failed.*\[-\]poststarthook\/storage-readiness failed/s)
})

test('without a configuration an encrypted value is said to be one', async (t) => {
  const { dataDir, file, configure } = folderOf(t)
  configure({ providers: [aescbc('a')] })
  {
    await using cluster = await start(dataDir, file)
    await create(cluster, 'one')
  }
  await using cluster = await start(dataDir)
  await assert.rejects(cluster.client().get({ ...secrets, name: 'one' }), {
    code: 500,
    message: 'Internal error occurred: identity transformer tried to read encrypted data',
  })
})
