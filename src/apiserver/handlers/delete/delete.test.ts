import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../../machinery/object.ts'
import { deployments } from '../../../resources/apps/deployments.ts'
import { configMaps } from '../../../resources/core/configmaps.ts'
import type { AdmissionPlugin } from '../../admission/plugin.ts'
import { handlerDouble } from '../handler.double.ts'

const CONFIG_MAPS = '/api/v1/namespaces/ns/configmaps'
const PATH = `${CONFIG_MAPS}/a`
const configMap = (name: string, metadata: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } })
const options = (how: object) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...how })

async function configMapDouble(metadata: object = {}) {
  const world = await handlerDouble(configMaps)
  const { object } = await world.send(`POST ${CONFIG_MAPS}`, { body: configMap('a', metadata) })
  return { ...world, created: object, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

test('a delete returns a Status that names what is gone', async () => {
  await using world = await configMapDouble()
  const { code, object } = await world.send(`DELETE ${PATH}`)
  const details = { name: 'a', kind: 'configmaps', uid: world.created.metadata.uid }
  assert.deepEqual([code, object], [200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }])
  assert.equal(await world.outcome(`GET ${PATH}`), '404 NotFound: configmaps "a" not found')
})

test('a delete that waits for a finalizer returns the object', async () => {
  await using world = await configMapDouble({ finalizers: ['example.com/hold'] })
  const { object } = await world.send(`DELETE ${PATH}`)
  assert.deepEqual([object.kind, object.metadata.deletionTimestamp], ['ConfigMap', '2026-01-01T00:00:00Z'])
})

test('a second delete that takes the finalizer of the garbage collector away returns a Status', async () => {
  await using world = await configMapDouble()
  assert.equal((await world.send(`DELETE ${PATH}?propagationPolicy=Orphan`)).object.kind, 'ConfigMap')
  assert.equal((await world.send(`DELETE ${PATH}?propagationPolicy=Background`)).object.kind, 'Status')
})

for (const [query, body, finalizers] of [
  ['', options({ propagationPolicy: 'Orphan' }), ['orphan']],
  ['', options({ propagationPolicy: 'Foreground' }), ['foregroundDeletion']],
  ['', options({ orphanDependents: true }), ['orphan']],
  ['?propagationPolicy=Foreground', undefined, ['foregroundDeletion']],
  // The body replaces the query.
  ['?propagationPolicy=Foreground', options({ propagationPolicy: 'Orphan' }), ['orphan']],
] as const)
  test(`DELETE ${query} ${JSON.stringify(body ?? '')} leaves the finalizers ${finalizers}`, async () => {
    await using world = await configMapDouble()
    const { object } = await world.send(`DELETE ${PATH}${query}`, { body })
    assert.deepEqual(object.metadata.finalizers, finalizers)
  })

for (const [rule, query, body, outcome] of [
  ['a dry run', '?dryRun=All', undefined, '200'],
  [
    'another uid',
    '',
    options({ preconditions: { uid: 'u' } }),
    /^409 Conflict: .*the UID in the precondition \(u\) does not match the UID in record/,
  ],
  [
    'another revision',
    '',
    options({ preconditions: { resourceVersion: '1' } }),
    /^409 Conflict: .*the ResourceVersion in the precondition \(1\) does not match/,
  ],
  [
    'two ways to orphan',
    '',
    options({ propagationPolicy: 'Orphan', orphanDependents: true }),
    /^422 Invalid: .*orphanDependents and deletionPropagation cannot be both set/,
  ],
  [
    'an unknown policy',
    '?propagationPolicy=Later',
    undefined,
    /^422 Invalid: .*Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan", "nil"/,
  ],
  ['the body of another kind', '', { apiVersion: 'v1', kind: 'Pod' }, /^400 BadRequest: no kind "Pod" is registered for version "v1"|^400/],
  ['options of another type', '', options({ gracePeriodSeconds: 'x' }), /^400 BadRequest: .*cannot unmarshal string/],
  [
    'a number beyond float64',
    '',
    '{"gracePeriodSeconds":1e400}',
    /^400 BadRequest: json: cannot unmarshal number 1e400 into Go struct field DeleteOptions/,
  ],
  [
    'a number with an exponent',
    '',
    '{"gracePeriodSeconds":1e3}',
    /^400 BadRequest: json: cannot unmarshal number 1e3 into Go struct field DeleteOptions/,
  ],
  ['broken text', '', '{', /^400 BadRequest: .*unexpected end of JSON input$/],
] as const)
  test(`a delete with ${rule} removes nothing: ${outcome}`, async () => {
    await using world = await configMapDouble()
    const found = await world.outcome(`DELETE ${PATH}${query}`, { body })
    if (typeof outcome === 'string') assert.equal(found, outcome)
    else assert.match(found, outcome)
    assert.deepEqual((await world.send(`GET ${PATH}`)).object, world.created)
  })

for (const [body, code] of [
  [options({ orphanDependents: false }), 202],
  [options({ orphanDependents: true }), 200],
  [options({ gracePeriodSeconds: 0 }), 200],
] as const)
  test(`a delete that an object with a finalizer outlives, ${JSON.stringify(body)}: ${code}`, async () => {
    await using world = await configMapDouble({ finalizers: ['example.com/hold'] })
    assert.equal((await world.send(`DELETE ${PATH}`, { body })).code, code)
  })

test('a collection delete removes what it selects, and returns the list of it', async () => {
  await using world = await handlerDouble(configMaps)
  const names = async () =>
    ((await world.send(`GET ${CONFIG_MAPS}`)).object as KubeObject & { items: KubeObject[] }).items.map((o) => o.metadata.name)
  for (const [name, app] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
  ] as const)
    await world.send(`POST ${CONFIG_MAPS}`, { body: configMap(name, { labels: { app } }) })
  assert.equal(await world.outcome(`DELETE ${CONFIG_MAPS}?labelSelector=app=x&dryRun=All`), '200')
  assert.deepEqual(await names(), ['a', 'b', 'c'])
  const { object } = await world.send(`DELETE ${CONFIG_MAPS}?labelSelector=app=x`)
  assert.equal(object.kind, 'ConfigMapList')
  assert.deepEqual(await names(), ['b'])
})

test('a collection delete: admission sees the objects one by one, without a name in the request', async () => {
  const seen: string[] = []
  const watching: AdmissionPlugin = {
    name: 'Watching',
    handles: ({ operation }) => operation === 'DELETE',
    validate: ({ name, oldObject }) => void seen.push(`${name}/${oldObject?.metadata.name}`),
  }
  await using world = await handlerDouble(configMaps, { admission: [watching] })
  for (const name of ['a', 'b']) await world.send(`POST ${CONFIG_MAPS}`, { body: configMap(name) })
  await world.send(`DELETE ${CONFIG_MAPS}`)
  assert.deepEqual(seen, ['/a', '/b'])
  await world.send(`POST ${CONFIG_MAPS}`, { body: configMap('c') })
  await world.send(`DELETE ${CONFIG_MAPS}/c`)
  assert.equal(seen[2], 'c/c')
})

test('a collection delete refuses selectors before the options of the delete', async () => {
  await using world = await configMapDouble()
  const refused = await world.outcome(`DELETE ${CONFIG_MAPS}?fieldSelector=a.b=c&gracePeriodSeconds=x`)
  assert.match(refused, /^400 BadRequest: "a.b" is not a known field selector/)
})

test('a collection delete of a revision lists that state exactly', async () => {
  await using world = await configMapDouble()
  const revision = world.created.metadata.resourceVersion
  await world.send(`POST ${CONFIG_MAPS}`, { body: configMap('b') })
  await world.send(`DELETE ${CONFIG_MAPS}?resourceVersion=${revision}`)
  assert.equal(await world.outcome(`GET ${PATH}`), '404 NotFound: configmaps "a" not found')
  assert.equal(await world.outcome(`GET ${CONFIG_MAPS}/b`), '200')
})

test('a kind whose dependents are left behind by default warns of it', async () => {
  await using world = await handlerDouble({ ...deployments, rules: { ...deployments.rules, deleteWarning: 'children stay' } })
  const path = '/apis/apps/v1/namespaces/ns/deployments'
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  }
  await world.send(`POST ${path}`, { body })
  assert.equal(await world.outcome(`DELETE ${path}?dryRun=All`), '200 warning: children stay')
  assert.equal(await world.outcome(`DELETE ${path}?dryRun=All&propagationPolicy=Orphan`), '200')
  assert.equal(await world.outcome(`DELETE ${path}/a`), '200 warning: children stay')
})
