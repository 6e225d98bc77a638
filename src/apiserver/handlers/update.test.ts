import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { leases } from '../../resources/coordination/leases.ts'
import { configMaps } from '../../resources/core/configmaps.ts'
import { NO_OPINION } from '../identity/authorizer.ts'
import { handlerDouble } from './handler.double.ts'

const COLLECTION = '/api/v1/namespaces/ns/configmaps'
const PATH = `${COLLECTION}/a`

const configMap = (metadata: object = {}, data: object = { key: 'new' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
})

async function configMapDouble() {
  const world = await handlerDouble(configMaps)
  const { object } = await world.send(`POST ${COLLECTION}`, { body: configMap({}, { key: 'old' }) })
  return { ...world, created: object, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const keyOf = (object: KubeObject) => readPath(object, ['data', 'key'])

for (const [rule, metadata, outcome] of [
  ['no namespace', {}, '200'],
  ['the namespace of the path', { namespace: 'ns' }, '200'],
  [
    'another namespace',
    { namespace: 'other' },
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  ],
  ['no name', { name: undefined }, '400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided'],
  ['another name', { name: 'b' }, '400 BadRequest: the name of the object (b) does not match the name on the URL (a)'],
  ['a revision of zero', { resourceVersion: '0' }, '200'],
  [
    'an old revision',
    { resourceVersion: '1' },
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'another uid',
    { uid: 'u' },
    /^409 Conflict: Operation cannot be fulfilled on configmaps "a": StorageError: .*, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: [0-9a-f-]{36}$/,
  ],
] as const)
  test(`an update with ${rule}: ${outcome}`, async () => {
    await using world = await configMapDouble()
    const found = await world.outcome(`PUT ${PATH}`, { body: configMap(metadata) })
    if (typeof outcome === 'string') assert.equal(found, outcome)
    else assert.match(found, outcome)
    assert.equal(keyOf((await world.send(`GET ${PATH}`)).object), found === '200' ? 'new' : 'old')
  })

test('an update of what does not exist is not found, and creates nothing', async () => {
  await using world = await handlerDouble(configMaps)
  assert.equal(await world.outcome(`PUT ${PATH}`, { body: configMap() }), '404 NotFound: configmaps "a" not found')
  assert.equal(await world.outcome(`GET ${PATH}`), '404 NotFound: configmaps "a" not found')
})

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/ns/leases/a'
const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' } }

test('an update creates a missing object of a kind that allows it', async () => {
  await using world = await handlerDouble(leases)
  assert.equal(await world.outcome(`PUT ${LEASE}`, { body: lease }), '201')
  assert.equal(await world.outcome(`GET ${LEASE}`), '200')
})

test('an update creates nothing for a user who may only update', async () => {
  await using world = await handlerDouble(leases, {
    authorizer: { authorize: ({ verb }) => (verb === 'create' ? NO_OPINION : { verdict: 'allow', reason: '' }) },
  })
  assert.match(await world.outcome(`PUT ${LEASE}`, { body: lease }), /^403 Forbidden: .*User "ann" cannot create resource "leases"/)
})

test('a dry run returns the result and stores nothing', async () => {
  await using world = await configMapDouble()
  const { object } = await world.send(`PUT ${PATH}?dryRun=All`, { body: configMap() })
  assert.equal(keyOf(object), 'new')
  assert.deepEqual((await world.send(`GET ${PATH}`)).object, world.created)
})

test('an update that changes nothing is no write', async () => {
  await using world = await configMapDouble()
  const { object } = await world.send(`PUT ${PATH}`, { body: configMap({}, { key: 'old' }) })
  assert.equal(object.metadata.resourceVersion, world.created.metadata.resourceVersion)
})
