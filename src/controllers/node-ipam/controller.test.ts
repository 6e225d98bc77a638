import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { CORE_EVENTS, NODES, PODS } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import { startCluster } from '../../testing/start-cluster.ts'

const node = (name: string, spec: JsonObject = {}): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec })

test('nodes get addresses for their pods, simulated ones among them; none are left, and some are again', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const options = { clusterCidr: '10.0.0.0/22,fd00::/62', nodes: 1 }
  await using cluster = await startCluster(options, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const cidrs = async (name: string) => (await client.get({ ...NODES, name })).spec?.podCIDRs
  await clock.advance(5_000)
  assert.deepEqual(await cidrs('node-1'), ['10.0.1.0/24', 'fd00::/64'])
  const containers = [{ name: 'c', image: 'i' }]
  await client.create({ ...PODS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } })
  await clock.advance(5_000)
  assert.match((await client.get({ ...PODS, namespace: 'default', name: 'p' })).status?.podIP ?? '', /^10\.0\.1\./)

  await client.create(NODES, node('own', { podCIDR: '10.0.3.0/24', podCIDRs: ['10.0.3.0/24'] }))
  await client.create(NODES, node('a'))
  await client.create(NODES, node('b'))
  await clock.advance(5_000)
  assert.deepEqual([await cidrs('own'), await cidrs('b')], [['10.0.3.0/24'], undefined])
  const a = await client.get({ ...NODES, name: 'a' })
  assert.deepEqual([a.spec?.podCIDR, a.spec?.podCIDRs], ['10.0.2.0/24', ['10.0.2.0/24', 'fd00:0:0:1::/64']])
  const events = (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items.filter((e) => e.reason === 'CIDRNotAvailable')
  assert.deepEqual(
    events.map((e) => [e.involvedObject?.name, e.message, e.source?.component, e.type]),
    [['b', 'Node b status is now: CIDRNotAvailable', 'cidrAllocator', 'Normal']],
  )

  await client.delete({ ...NODES, name: 'own' })
  await clock.advance(5_000)
  assert.deepEqual((await cidrs('b'))?.[0], '10.0.3.0/24')
})

test('a range without room for the simulated nodes is refused, as is one that is none', async () => {
  await assert.rejects(startCluster({ clusterCidr: '10.244.0.0/23', nodes: 3 }), /has room for 2 nodes, --nodes asks for 3/)
  await assert.rejects(startCluster({ clusterCidr: '10.244.0.0' }), /--cluster-cidr: "10.244.0.0" is not a range/)
})

test('a fork keeps what its nodes have, and gives new ones the rest', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ clusterCidr: '10.244.0.0/22', nodes: 1 }, { clock, random: seededRandom(1) })
  await cluster.client().create(NODES, node('foreign'))
  await clock.advance(5_000)
  await using fork = await cluster.fork({ nodes: 3 }, { clock })
  await clock.advance(5_000)
  const all = (await fork.client().list(NODES)).items.map((n) => [n.metadata.name, n.spec?.podCIDR])
  assert.deepEqual(all, [
    ['foreign', '10.244.1.0/24'],
    ['node-1', '10.244.0.0/24'],
    ['node-2', '10.244.2.0/24'],
    ['node-3', '10.244.3.0/24'],
  ])
})
