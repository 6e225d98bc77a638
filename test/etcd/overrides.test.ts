import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import * as refs from '../../src/resources/refs.ts'
import { openEtcdStore } from '../../src/storage/etcd/etcd-store.ts'
import { findEtcd, startRealEtcd } from '../../src/storage/etcd/real-etcd.double.ts'
import { startServerAt } from './servers-on-etcd.ts'

const found = findEtcd()
const skip = 'why' in found ? found.why : false
const program = 'program' in found ? found.program : ''

const CONFIG_MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const SECRETS = { ...refs.SECRETS, namespace: 'default' }
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }) as const
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } }) as const
const openRaw = (url: URL) =>
  openEtcdStore(
    { urls: [url], tls: { ca: undefined, cert: undefined, key: undefined }, prefix: '/registry/' },
    { clock: systemClock, random: systemRandom(), log: silentLogger },
  )

test('objects of an override are in its etcd alone, and have its revisions; an etcd that is away harms only its own', {
  skip,
}, async () => {
  await using main = await startRealEtcd(program)
  await using other = await startRealEtcd(program)
  const servers = [other.url.href]
  const overrides = ['configmaps', 'services'].map((resource) => ({ group: '', resource, servers }))
  await using server = await startServerAt(main.url, overrides)
  const { client } = server
  await using mainKeys = await openRaw(main.url)
  await using otherKeys = await openRaw(other.url)
  const keysIn = async (store: typeof mainKeys, prefix: string) => (await store.range(prefix)).entries.map(({ key }) => key)

  const created = await client.create(CONFIG_MAPS, configMap('a'))
  assert.equal(created.metadata.resourceVersion, String((await otherKeys.get('configmaps/default/a'))?.revision))
  await client.create(SECRETS, secret('a'))
  assert.deepEqual(await keysIn(mainKeys, 'secrets/'), ['secrets/default/a'])
  assert.deepEqual([...(await keysIn(mainKeys, 'configmaps/')), ...(await keysIn(otherKeys, 'secrets/'))], [])

  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } } as const
  await client.create({ ...refs.SERVICES, namespace: 'default' }, service)
  assert.deepEqual([await keysIn(mainKeys, 'ranges/'), await keysIn(otherKeys, 'ranges/')], [[], ['ranges/servicenodeports']])

  await client.create(CONFIG_MAPS, configMap('b'))
  const list = await client.list(CONFIG_MAPS, { limit: 1 })
  assert.ok(Number(list.metadata.resourceVersion) < Number((await client.list(SECRETS)).metadata.resourceVersion))
  await client.create(CONFIG_MAPS, configMap('c'))
  const page = await client.list(CONFIG_MAPS, { limit: 1, continue: list.metadata.continue ?? '' })
  assert.deepEqual([page.items.map(({ metadata }) => metadata.name), page.metadata.resourceVersion], [['b'], list.metadata.resourceVersion])
  for await (const events of client.watch(CONFIG_MAPS, { resourceVersion: list.metadata.resourceVersion ?? '' })) {
    assert.deepEqual(
      events.map(({ object }) => object.metadata.name),
      ['c'],
    )
    break
  }

  await other.kill()
  assert.equal((await client.get({ ...SECRETS, name: 'a' })).metadata.name, 'a')
  const writing = client.create(CONFIG_MAPS, configMap('d'))
  await other.restart()
  assert.equal((await writing).metadata.name, 'd')
})
