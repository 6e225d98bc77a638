/** The workbench of a kind with two versions and a conversion webhook, at the page's socket: conversions, and a schema that is tried. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import type { KindBench } from '../../src/page/wire/kind-bench.ts'
import type { ObjectConversion } from '../../src/resources/bowsprit/object-conversion.ts'
import * as refs from '../../src/resources/refs.ts'
import { createWebhookServer, type WebhookServer } from '../../src/sdk/sdk.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { latest, openSocket } from './page-socket.ts'

const certificates = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
const GADGETS = { group: 'example.com', version: 'v1', resource: 'gadgets' }
const CONVERSIONS = { group: 'bowsprit.dev', version: 'v1', resource: 'objectconversions' }

const schemaOf = (properties: JsonObject) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
})

const gadget = (name: string, spec: JsonObject): KubeObject => ({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name }, spec })

/** v1 has `weight: 3 kg`, v2 has `amount: 3` and `unit: kg`. */
function convert(objects: readonly KubeObject[], apiVersion: string): KubeObject[] {
  return objects.map((object) => {
    const { weight, amount, unit } = (object as KubeObject<{ weight?: string; amount?: number; unit?: string }>).spec ?? {}
    if (weight === 'broken') throw new Error('the webhook cannot weigh it')
    if (!apiVersion.endsWith('/v2')) return { ...object, apiVersion, spec: { weight: `${amount} ${unit}` } }
    const [number = '', of = ''] = (weight ?? '').split(' ')
    return { ...object, apiVersion, spec: { amount: Number(number), unit: of } }
  })
}

let cluster: Cluster
let webhook: WebhookServer
let link: URL

before(async () => {
  cluster = await startCluster({ nodes: 0, trails: true })
  webhook = createWebhookServer({
    tls: { cert: certificates.serving.certificate, key: certificates.serving.key },
    conversion: convert,
  })
  const url = `${await webhook.listen(0)}/convert`
  const version = (name: string, storage: boolean, properties: JsonObject) => ({
    name,
    served: true,
    storage,
    schema: schemaOf(properties),
  })
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        version('v1', true, { weight: { type: 'string' } }),
        version('v2', false, { amount: { type: 'integer' }, unit: { type: 'string' } }),
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url, caBundle: Buffer.from(certificates.ca.certificate).toString('base64') },
        },
      },
    },
  }
  const client = cluster.client()
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS as never, definition as unknown as KubeObject)
  await waitFor(() => client.list(GADGETS).catch(() => undefined))
  for (const [name, weight] of Object.entries({ light: '3 kg', heavy: '3000 kilograms' }))
    await client.create({ ...GADGETS, namespace: 'default' }, gadget(name, { weight }))
  link = new URL(await cluster.page())
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await webhook[Symbol.asyncDispose]()
})

/** What the workbench says of a text and a schema. */
async function tried(text: string, schema = ''): Promise<KindBench> {
  using socket = openSocket(link, { type: 'bench', id: 1, draft: { definition: 'gadgets.example.com', text, schema, serial: 1 } })
  return (await waitFor(() => latest(socket, 'bench'))).bench
}

const linesOf = ({ steps }: KindBench, wanted: string) => steps.find(({ name }) => name === wanted)?.lines ?? []
const TEXT = 'apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\nspec: {weight: 3 kg}\n'

test('an object is shown as the webhook converts it to the other version', async () => {
  const lines = linesOf(await tried(TEXT), 'as example.com/v2')
  assert.ok(lines.includes('spec.amount: 3'), lines.join())
  assert.ok(lines.includes('spec.weight: "3 kg" → (removed)'), lines.join())
})

test('what the webhook refuses is said', async () => {
  const bench = await tried(TEXT.replace('3 kg', 'broken'))
  assert.match(linesOf(bench, 'as example.com/v2').join(), /cannot weigh it/)
})

test('a changed schema is tried on the stored objects, and changes nothing', async () => {
  assert.deepEqual(linesOf(await tried(TEXT), 'stored objects'), ['2 of 2 stored objects pass'])
  const stricter = 'type: object\nproperties: {spec: {type: object, properties: {weight: {type: string, maxLength: 5}}}}\n'
  const bench = await tried(TEXT, stricter)
  const [summary, first] = linesOf(bench, 'stored objects')
  assert.equal(summary, '1 of 2 stored objects pass')
  assert.match(first ?? '', /^default\/heavy: spec\.weight: Too long/)
  assert.deepEqual(bench.schemaFaults, [])
  assert.deepEqual(linesOf(await tried(TEXT), 'stored objects'), ['2 of 2 stored objects pass'])
})

test('a schema that the server would refuse is told, and not tried', async () => {
  const bench = await tried(TEXT, 'type: object\nproperties: {spec: {type: text}}\n')
  assert.match(bench.schemaFaults.map(({ message }) => message).join(), /^properties\[spec\]\.type: /)
  assert.deepEqual(linesOf(bench, 'stored objects'), ['2 of 2 stored objects pass'])
})

test('a conversion needs the right to create the object, and a custom kind', async () => {
  const asked = (object: unknown) => ({ apiVersion: 'bowsprit.dev/v1', kind: 'ObjectConversion', metadata: {}, spec: { object } }) as never
  const refusedWith = (code: number) => (error: unknown) => isStatus(error) && error.code === code
  const admin = cluster.client()
  const { status } = await admin.create<ObjectConversion>(CONVERSIONS, asked(gadget('a', { weight: '3 kg' })))
  assert.deepEqual(status?.versions[0]?.object?.spec, { amount: 3, unit: 'kg' })
  await assert.rejects(admin.create(CONVERSIONS, asked({ apiVersion: 'v1', kind: 'Pod', metadata: {} })), refusedWith(400))
  for (const object of [undefined, 'text', {}, { metadata: {} }])
    await assert.rejects(admin.create(CONVERSIONS, asked(object)), refusedWith(400))
  const converter = { name: 'converter', groups: [] }
  const rule = { apiGroups: ['bowsprit.dev'], resources: ['objectconversions'], verbs: ['create'] }
  const meta = { metadata: { name: 'converter' }, apiVersion: 'rbac.authorization.k8s.io/v1' } as const
  await admin.create(refs.CLUSTER_ROLES, { ...meta, kind: 'ClusterRole', rules: [rule] })
  await admin.create(refs.CLUSTER_ROLE_BINDINGS, {
    ...meta,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'converter' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'converter' }],
  })
  await assert.rejects(cluster.client(converter).create(CONVERSIONS, asked(gadget('a', {}))), (error: unknown) => {
    assert.ok(isStatus(error))
    assert.match(error.message, /cannot create resource "gadgets"/)
    return error.code === 403
  })
})
