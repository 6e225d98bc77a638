import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { faultyTransport } from '../../testing/faulty-transport.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { testCertificate } from '../../testing/test-certificate.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { createClient } from '../client/create-client.ts'
import { createDiscovery } from '../client/discovery.ts'
import { createWebhookServer } from '../webhook/webhook-server.ts'
import * as builtin from './builtin-kinds.ts'
import { type Condition, nextConditions } from './condition.ts'
import { defineKind } from './define-kind.ts'
import { installKinds } from './install-kinds.ts'
import { type ObjectOf, targetOf } from './kind.ts'
import type { ReadOf, WrittenOf } from './schema.ts'
import { t } from './schema-builders.ts'

const Shirt = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Shirt',
  shortNames: ['sh'],
  spec: t.object({
    color: t.enum('red', 'blue').default('red'),
    size: t.integer({ minimum: 1, maximum: 60 }),
    pockets: t.array(t.object({ name: t.string(), wide: t.boolean().default(false) }), { keys: ['name'], maxItems: 9 }).default([]),
    tags: t.record(t.string({ maxLength: 20 })).optional(),
    price: t.quantity().optional(),
    maker: t.string().immutable().optional(),
  }),
  status: t.object({ worn: t.integer().optional() }),
  validations: [{ rule: "self.spec.color != 'blue' || self.spec.size > 10", message: 'blue shirts are large' }],
  printerColumns: [{ name: 'Color', jsonPath: '.spec.color' }],
})

test('types follow from the schema: what has a default is there when read, and may be left out when written', () => {
  type Spec = ObjectOf<typeof Shirt>['spec']
  const read = (spec: Spec): ['red' | 'blue', number, string | undefined, boolean | undefined] => [
    spec.color,
    spec.size,
    spec.tags?.a,
    spec.pockets[0]?.wide,
  ]
  const { spec } = Shirt.object({ name: 'x' }, { size: 3, pockets: [{ name: 'left' }] })
  assert.deepEqual(spec, { size: 3, pockets: [{ name: 'left' }] })
  // @ts-expect-error a color that there is none of
  Shirt.object({ name: 'x' }, { size: 3, color: 'green' })
  // @ts-expect-error size has no default
  Shirt.object({ name: 'x' }, {})
  const both = t.object({ a: t.string().default('x'), b: t.string().optional() })
  const [whole, less]: [ReadOf<typeof both>, WrittenOf<typeof both>] = [{ a: 'x' }, {}]
  // @ts-expect-error a is always there when read
  const lacking: ReadOf<typeof both> = {}
  assert.deepEqual([whole, less, lacking], [{ a: 'x' }, {}, {}])
  assert.deepEqual(read({ color: 'red', size: 1, pockets: [] }), ['red', 1, undefined, undefined])
})

test('the server accepts the definition, applies its defaults, and enforces its rules', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await installKinds(client, [Shirt])
  const { metadata } = await client.get({ ...builtin.CUSTOM_RESOURCE_DEFINITION.ref, name: 'shirts.example.com' })
  await installKinds(client, [Shirt])
  const again = await client.get({ ...builtin.CUSTOM_RESOURCE_DEFINITION.ref, name: 'shirts.example.com' })
  assert.equal(again.metadata.resourceVersion, metadata.resourceVersion)
  const target = { ...Shirt.ref, namespace: 'default' }
  const made = await client.create(
    target,
    Shirt.object({ name: 'a' }, { size: 3, pockets: [{ name: 'left' }], price: '1500m', maker: 'me' }),
  )
  assert.deepEqual(made.spec, { color: 'red', size: 3, pockets: [{ name: 'left', wide: false }], price: '1500m', maker: 'me' })
  for (const [object, words] of [
    [Shirt.object({ name: 'b' }, { size: 99 }), /spec\.size.*less than or equal to 60/],
    [Shirt.object({ name: 'b' }, { size: 3, color: 'blue' }), /blue shirts are large/],
    [Shirt.object({ name: 'b' }, { size: 3, price: 'much' }), /spec\.price/],
  ] as const)
    await assert.rejects(client.create(target, object), words)
  await assert.rejects(client.patch(targetOf(Shirt, made.metadata), 'merge', { spec: { maker: 'you' } }), /is immutable/)
  const crd = await client.get({ ...builtin.CUSTOM_RESOURCE_DEFINITION.ref, name: 'shirts.example.com' })
  assert.deepEqual(
    crd.status?.conditions?.filter((c) => c.status === 'False').map((c) => c.type),
    [],
  )
})

test('an existing definition is not sent again; one that meets a conflict is', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock })
  const transport = faultyTransport(cluster.transport(), { clock })
  const client = createClient(transport)
  const conflict = new StatusError({ code: 409, reason: 'Conflict', message: 'again' })
  transport.add({ when: (c) => c.verb === 'patch', times: 2, outcome: 'fail', error: conflict })
  const patches = () => transport.calls.filter((c) => c.verb === 'patch').length
  const install = () => waitFor(() => installKinds(client, [Shirt], { clock }).then(() => true), { clock })
  await install()
  assert.equal(patches(), 3)
  await install()
  assert.equal(patches(), 3)
  transport.add({ when: (c) => c.verb === 'get', outcome: 'fail', error: new StatusError({ code: 422, reason: 'Invalid', message: 'no' }) })
  await assert.rejects(installKinds(client, [Shirt], { clock }), /^StatusError: no$/)
})

test('versions are converted by their functions, both ways, through the webhook', async () => {
  const Both = Shirt.withVersion({
    version: 'v1alpha1',
    spec: t.object({ paint: t.string(), width: t.integer() }),
    deprecated: 'use v1',
    up: ({ paint, width }) => ({ color: paint === 'blue' ? 'blue' : 'red', size: width }),
    down: ({ color, size }) => ({ paint: color, width: size }),
  })
  assert.throws(() => Both.definition(), /say where their webhook is/)
  assert.throws(() => Both.withVersion({ version: 'v1', spec: t.object({}) }), /has version v1 already/)
  const { cert, key, ca } = testCertificate()
  await using webhook = createWebhookServer({ tls: { cert, key }, conversion: (objects, to) => Both.convert(objects, to) })
  const conversion = { url: `${await webhook.listen(0)}/convert`, caBundle: Buffer.from(ca).toString('base64') }
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await installKinds(client, [Both], { conversion })
  const old = { group: 'example.com', version: 'v1alpha1', resource: 'shirts', namespace: 'default' }
  const object = { apiVersion: 'example.com/v1alpha1', kind: 'Shirt', metadata: { name: 'a' }, spec: { paint: 'blue', width: 20 } }
  await waitFor(() => client.create(old, object))
  const found = await client.get(targetOf(Both, { name: 'a', namespace: 'default' }))
  assert.deepEqual([found.apiVersion, found.spec.color, found.spec.size], ['example.com/v1', 'blue', 20])
  assert.deepEqual((await client.get({ ...old, name: 'a' })).spec, { paint: 'blue', width: 20 })
})

test('the kinds of Kubernetes are called what the server calls them', async () => {
  await using cluster = await startCluster({ parts: ['server'], clusterTrustBundles: true, gangScheduling: true })
  const discovery = createDiscovery(cluster.client())
  const { resources } = await discovery.read()
  for (const kind of Object.values(builtin)) {
    const found = resources.find((r) => r.group === kind.group && r.version === kind.version && r.resource === kind.plural)
    assert.deepEqual([found?.kind, found?.namespaced], [kind.kind, kind.namespaced], kind.plural)
  }
})

test('the time of a condition moves with its status only', () => {
  const before: Condition[] = [
    { type: 'A', status: 'True', lastTransitionTime: 'then', reason: 'X', message: '' },
    { type: 'B', status: 'True', lastTransitionTime: 'then', reason: 'X', message: '' },
  ]
  const next = nextConditions(
    before,
    [
      { type: 'A', status: true, reason: 'Y', message: 'm' },
      { type: 'B', status: 'Unknown', reason: 'X' },
      { type: 'C', status: false, reason: 'X' },
    ],
    { now: 'now', generation: 4 },
  )
  assert.deepEqual(
    next.map((c) => [c.type, c.status, c.lastTransitionTime, c.reason, c.observedGeneration]),
    [
      ['A', 'True', 'then', 'Y', 4],
      ['B', 'Unknown', 'now', 'X', 4],
      ['C', 'False', 'now', 'X', 4],
    ],
  )
})

for (const [kind, plural] of [
  ['Gadget', 'gadgets'],
  ['Proxy', 'proxies'],
  ['Gateway', 'gateways'],
  ['Box', 'boxes'],
  ['Patch', 'patches'],
  ['SampleDB', 'sampledbs'],
] as const)
  test(`several of ${kind} are ${plural}`, () => {
    assert.equal(defineKind({ group: 'example.com', version: 'v1', kind, spec: t.object({}) }).plural, plural)
  })
