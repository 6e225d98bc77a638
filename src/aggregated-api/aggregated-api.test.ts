import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { joinStreams } from '../base/join-streams.ts'
import { seededRandom } from '../base/random.ts'
import type { ResourceRef } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isStatus } from '../machinery/status-error.ts'
import type { Client } from '../sdk/client/client.ts'
import { createAggregatedApi } from './aggregated-api.ts'
import { AggregatedApiError } from './aggregated-api-error.ts'
import type { AggregatedKind } from './aggregated-kind.ts'

const GROUP = 'wardle.example.com'
const FLUNDERS = { group: GROUP, version: 'v1alpha1', resource: 'flunders', namespace: 'default' }
const SCHEMA = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } } }
type Flunder = KubeObject<{ size?: number }>
type Tide = KubeObject<{ level: number }>
const TIDES: ResourceRef<Tide> = { group: GROUP, version: 'v1alpha1', resource: 'tides' }
const KINDS: readonly [AggregatedKind<Flunder>, AggregatedKind<Tide>] = [
  {
    kind: 'Flunder',
    plural: 'flunders',
    versions: [{ name: 'v1alpha1', schema: SCHEMA }],
    prepare: (draft) => {
      draft.metadata.labels = { prepared: 'yes' }
    },
    validate: ({ spec }) => ((spec?.size ?? 0) > 3 ? [{ field: 'spec.size', message: 'at most 3' }] : []),
  },
  { kind: 'Tide', plural: 'tides', scope: 'Cluster', versions: [{ name: 'v1alpha1' }], computed: true },
]
const open = () => createAggregatedApi({ group: GROUP, kinds: KINDS }, { clock: new VirtualClock(), random: seededRandom(1) })
const flunder = (name: string, spec: object = {}) => ({ apiVersion: `${GROUP}/v1alpha1`, kind: 'Flunder', metadata: { name }, spec })
const tide = (name: string, level: number) => ({ apiVersion: `${GROUP}/v1alpha1`, kind: 'Tide', metadata: { name }, spec: { level } })
const failsWith = (code: AggregatedApiError['code'], text: RegExp) => (error: unknown) =>
  error instanceof AggregatedApiError && error.code === code && text.test(error.message)

test('an object gets the defaults of its schema and what the author’s code prepares', async () => {
  await using api = await open()
  const made: KubeObject = await api.client().create(FLUNDERS, flunder('a', {}))
  assert.deepEqual([made.spec, made.metadata.labels], [{ size: 1 }, { prepared: 'yes' }])
})

test('the author’s code refuses an object with 422 and the field', async () => {
  await using api = await open()
  await assert.rejects(
    api.client().create(FLUNDERS, flunder('a', { size: 4 })),
    (error) => isStatus(error, 'Invalid') && /spec\.size: Invalid value: 4: at most 3/.test(error.message),
  )
})

test('computed objects are shown in place of what was shown before', async () => {
  await using api = await open()
  const tides = api.computed('tides')
  const shown = async () => (await api.client().list(TIDES)).items.map(({ metadata, spec }) => `${metadata.name}=${spec?.level}`)
  await tides.replace([tide('a', 1), tide('b', 2)])
  assert.deepEqual(await shown(), ['a=1', 'b=2'])
  await tides.put(tide('a', 3))
  assert.deepEqual(await shown(), ['a=3', 'b=2'])
  await tides.replace([tide('b', 2), tide('c', 4)])
  assert.deepEqual(await shown(), ['b=2', 'c=4'])
  await tides.remove('c')
  assert.deepEqual(await shown(), ['b=2'])
})

test('an unchanged computed object keeps its resourceVersion', async () => {
  await using api = await open()
  const tides = api.computed('tides')
  const version = async () => (await api.client().get({ ...TIDES, name: 'a' })).metadata.resourceVersion
  await tides.put(tide('a', 1))
  const before = await version()
  await tides.put(tide('a', 1))
  assert.equal(await version(), before)
  await tides.put(tide('a', 2))
  assert.notEqual(await version(), before)
})

test('a computed object is replaced as a whole, but for what identifies it', async () => {
  await using api = await open()
  const tides = api.computed('tides')
  const labelled = (labels: Record<string, string>, how: object) => ({ ...tide('a', 1), metadata: { name: 'a', labels }, ...how })
  const shown = (): Promise<KubeObject> => api.client().get({ ...TIDES, name: 'a' })
  await tides.put(labelled({ old: 'x' }, { status: { high: true } }))
  const { uid, creationTimestamp } = (await shown()).metadata
  await tides.put(labelled({ new: 'y' }, { spec: { level: 2 } }))
  const { spec, status, metadata } = await shown()
  assert.deepEqual([spec, status, metadata.labels], [{ level: 2 }, undefined, { new: 'y' }])
  assert.deepEqual([metadata.uid, metadata.creationTimestamp], [uid, creationTimestamp])
})

test('clients cannot write computed objects', async () => {
  await using api = await open()
  await assert.rejects(api.client().create(TIDES, tide('a', 1)), (error) => isStatus(error, 'MethodNotAllowed'))
})

for (const plural of ['flunders', 'nothing'])
  test(`${plural} is no computed kind`, async () => {
    await using api = await open()
    assert.throws(() => api.computed(plural), failsWith('not-computed', new RegExp(`${plural} is no computed kind`)))
  })

/** A cluster that has nothing but the config map that names its front proxy. */
const clusterWith = (data: Record<string, string>): Client => {
  const { client } = { client: {} as Partial<Client> }
  return Object.assign(client, { get: async () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data }) }) as Client
}

test('a cluster without a front proxy cannot be listened for', async () => {
  await using api = await open()
  const options = { service: { namespace: 'default', name: 'wardle' }, client: clusterWith({}) }
  await assert.rejects(api.listen(options), failsWith('no-front-proxy', /--requestheader-client-ca-file/))
})

test('two joined streams pass on their messages, and end together', async () => {
  const [near, a] = duplexPair()
  const [b, far] = duplexPair()
  joinStreams(a, b)
  near.write('hello')
  const [piece] = await new Promise<[Buffer]>((resolve) => far.once('data', (data: Buffer) => resolve([data])))
  assert.equal(String(piece), 'hello')
  const closed = new Promise<void>((resolve) => b.once('close', resolve))
  a.destroy()
  await closed
  assert.equal(b.destroyed, true)
})
