import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '../../resources/refs.ts'
import { createInformerFactory } from '../../sdk/informer/informer-factory.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { sketch } from '../frame/sketch.double.ts'
import { createCatalogue } from './catalogue.ts'
import { InformerSet } from './informer-set.ts'

const GADGETS = { group: 'example.com', version: 'v1', resource: 'gadgets' }

const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
const gadget: KubeObject = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' } }
const ownedBy = (owner: Readonly<KubeObject>, name: string): KubeObject => {
  const { uid = '', name: ownerName = '' } = owner.metadata
  const ownerReferences = [{ apiVersion: owner.apiVersion, kind: owner.kind, name: ownerName, uid }]
  return sketch({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } })
}

test('the catalogue follows definitions as they come and go', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random })
  const client = cluster.client()
  const stop = new AbortController()
  const informers = new InformerSet(createInformerFactory({ client, clock, random, log: silentLogger }))
  const catalogue = createCatalogue({ client, informers, clock, log: silentLogger })
  const running = Promise.all([informers.run(stop.signal), catalogue.run(stop.signal)])
  const has = async () => (await catalogue.entries()).some((e) => e.resource === 'gadgets')
  let changes = 0
  catalogue.onChange(() => changes++)
  const all = await catalogue.entries()
  // What cannot be listed, watched and deleted is not in it.
  for (const resource of ['bindings', 'componentstatuses', 'tokenreviews']) assert.ok(!all.some((e) => e.resource === resource))
  assert.ok(all.some((e) => e.resource === 'apiservices'))

  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
  await clock.advance(2_000)
  assert.equal(await has(), true)
  assert.deepEqual((await catalogue.ofKind('example.com', 'Gadget'))?.resource, 'gadgets')
  assert.equal((await catalogue.ofKind('autoscaling', 'HorizontalPodAutoscaler', 'v1'))?.version, 'v1')
  assert.equal(await catalogue.ofKind('apps', 'Deployment', 'v1beta1'), undefined)
  await client.delete({ ...CUSTOM_RESOURCE_DEFINITIONS, name: 'gadgets.example.com' })
  await clock.advance(2_000)
  assert.equal(await has(), false)
  assert.ok(changes >= 2)
  stop.abort()
  await running
})

test('objects of a definition keep what they own, go with their namespace, and when the definition goes nothing waits for them', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server', 'controllers'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const exists = (namespace: string, name: string) =>
    client.get({ ...CONFIG_MAPS, namespace, name }).then(
      () => true,
      () => false,
    )
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'passing' } })
  await clock.advance(5_000)
  for (const namespace of ['default', 'passing']) {
    const owner = await client.create({ ...GADGETS, namespace }, gadget)
    await client.create<KubeObject>({ ...CONFIG_MAPS, namespace }, ownedBy(owner, 'owned'))
  }
  await clock.advance(60_000)
  assert.ok(await exists('default', 'owned'))

  await client.delete({ ...NAMESPACES, name: 'passing' })
  await clock.advance(10_000)
  await assert.rejects(client.get({ ...NAMESPACES, name: 'passing' }), /not found/)
  assert.deepEqual(
    (await client.list(GADGETS)).items.map((o) => o.metadata.namespace),
    ['default'],
  )

  await client.delete({ ...CUSTOM_RESOURCE_DEFINITIONS, name: 'gadgets.example.com' })
  await clock.advance(60_000)
  assert.equal(await exists('default', 'owned'), false)
})
