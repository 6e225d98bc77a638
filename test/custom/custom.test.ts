import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { readPath } from '../../src/machinery/resource/definition.ts'
import { isStatus, StatusError } from '../../src/machinery/status-error.ts'
import { CUSTOM_RESOURCE_DEFINITIONS as DEFINITIONS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { migrateThirdParty } from '../../src/tools/migrate-third-party.ts'

const GROUP = 'test.example.com'

describe('custom resources', () => {
  let cluster: Cluster
  let client: Client
  let serial = 0
  before(async () => {
    cluster = await startCluster({ parts: ['server'], thirdPartyResources: true })
    client = cluster.client()
  })
  after(() => cluster[Symbol.asyncDispose]())

  /** A new definition for each test, and the collection of its objects. */
  const define = async (schema: JsonObject, more: JsonObject = {}) => {
    const plural = `things${serial++}`
    await client.create(DEFINITIONS, definition(plural, schema, more))
    const kind = kindOf(plural)
    const target = { group: GROUP, version: 'v1', resource: plural, namespace: 'default' }
    const make = (name: string, spec: unknown) => ({ apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec }) as KubeObject
    return { plural, target, make, create: (name: string, spec: unknown) => client.create(target, make(name, spec)) }
  }
  /** Adds a second version, which becomes the storage version. */
  const storeInV2 = (plural: string, schema: JsonObject) =>
    client.patch({ ...DEFINITIONS, name: `${plural}.${GROUP}` }, 'json', [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'add', path: '/spec/versions/-', value: { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: schema } } },
    ])
  const refused = async (promise: Promise<unknown>): Promise<StatusError> => {
    const error = await promise.then(
      () => assert.fail('it was taken'),
      (e: unknown) => e,
    )
    assert(error instanceof StatusError, String(error))
    return error
  }

  test('an object of another kind is refused when it is validated: after its name, its version and whether it exists', async () => {
    const { target, make, create } = await define({ type: 'object', properties: { spec: { type: 'object', properties: {} } } })
    const { metadata } = await create('a', {})
    const other = (name: string, resourceVersion: string | undefined): KubeObject => ({
      ...make(name, { unknown: 1 }),
      kind: 'Other',
      metadata: { name, ...(resourceVersion !== undefined && { resourceVersion }) },
    })
    const put = async (name: string, draft: KubeObject) => (await refused(client.update({ ...target, name }, draft))).message
    const wrong = /^Other\.test\.example\.com "a" is invalid: kind: Invalid value: "Other": must be Things?\d+$/i
    assert.match((await refused(client.create(target, other('a', undefined)))).message, wrong)
    assert.match(await put('a', other('a', metadata.resourceVersion)), wrong)
    assert.match(await put('a', other('b', metadata.resourceVersion)), /does not match the name on the URL/)
    assert.match(await put('a', other('a', '1')), /the object has been modified/)
    assert.match(await put('missing', other('missing', undefined)), /"missing" not found$/)
  })

  test('a later default is visible on existing objects', async () => {
    const { plural, target, create } = await define(spec({ a: { type: 'string' } }))
    await create('x', { a: '1' })
    const patch = [
      { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b', value: { type: 'string', default: 'B' } },
    ]
    await client.patch({ ...DEFINITIONS, name: `${plural}.${GROUP}` }, 'json', patch)
    const read = await client.get({ ...target, name: 'x' })
    assert.deepEqual(read.spec, { a: '1', b: 'B' })
  })

  test('a body of another version or kind is checked by what it names', async () => {
    const { plural, target, make } = await define(spec({ a: { type: 'string' } }))
    await storeInV2(plural, spec({ b: { type: 'string' } }))
    const send = (change: object) =>
      refused(client.create(target, { ...make('x', { a: '1' }), ...change } as KubeObject, { fieldValidation: 'Strict' }))
    const kind = kindOf(plural)
    assert.equal(
      (await send({ apiVersion: `${GROUP}/v2` })).message,
      `${kind} in version "v2" cannot be handled as a ${kind}: strict decoding error: unknown field "spec.a"`,
    )
    assert.equal(
      (await send({ kind: 'Gadget', metadata: { name: 'x', extra: 1 } })).message,
      'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "metadata.extra"',
    )
    await client.create(target, make('x', { a: '1' }))
    const patched = client.patch(
      { ...target, name: 'x' },
      'merge',
      { apiVersion: `${GROUP}/v2`, spec: { a: '2' } },
      { fieldValidation: 'Strict' },
    )
    assert.match((await refused(patched)).message, /: strict decoding error: unknown field "spec\.a"$/)
  })

  test('what was wrong before is not held against an update of something else', async () => {
    const { plural, target, create, make } = await define(spec({ a: { type: 'string' }, b: { type: 'string' } }))
    const old = await create('x', { a: 'long', b: '1' })
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/maxLength'
    await client.patch({ ...DEFINITIONS, name: `${plural}.${GROUP}` }, 'json', [{ op: 'add', path, value: 2 }])
    const changed = await client.update({ ...target, name: 'x' }, { ...make('x', { a: 'long', b: '2' }), metadata: { ...old.metadata } })
    assert.equal((changed as KubeObject<{ b: string }>).spec?.b, '2')
    const error = await refused(
      client.update({ ...target, name: 'x' }, { ...make('x', { a: 'longer', b: '2' }), metadata: { ...changed.metadata } }),
    )
    assert.match(error.message, /spec\.a: Too long: may not be more than 2 bytes/)
  })

  test('transition rules compare with the object before', async () => {
    const rule = { rule: 'self >= oldSelf', message: 'only up' }
    const { target, create } = await define(spec({ n: { type: 'integer', 'x-kubernetes-validations': [rule] } }))
    await create('x', { n: 3 })
    await client.patch({ ...target, name: 'x' }, 'merge', { spec: { n: 4 } })
    const error = await refused(client.patch({ ...target, name: 'x' }, 'merge', { spec: { n: 2 } }))
    assert.match(error.message, /spec\.n: Invalid value: 2: only up/)
  })

  test('a name of another definition is refused, and free when that one is deleted', async () => {
    const first = await define(spec({}), { shortNames: ['taken'] })
    const second = await define(spec({}), { shortNames: ['taken'] })
    const condition = async () => {
      for (let tries = 0; ; tries++) {
        const crd = await client.get({ ...DEFINITIONS, name: `${second.plural}.${GROUP}` })
        const found = crd.status?.conditions?.find((c) => c.type === 'NamesAccepted')
        if (found !== undefined || tries > 100) return found
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    assert.equal((await condition())?.reason, 'ShortNamesConflict')
    assert.equal((await condition())?.message, '"taken" is already in use')
    assert(isStatus(await refused(client.list(second.target)), 'NotFound'))
    await client.delete({ ...DEFINITIONS, name: `${first.plural}.${GROUP}` })
    for (let tries = 0; (await condition())?.status !== 'True' && tries < 1000; tries++)
      await new Promise((resolve) => setImmediate(resolve))
    assert.equal((await client.list(second.target)).items.length, 0)
  })

  test('objects that are stored in an older version are shown in the new one', async () => {
    const { plural, target, create } = await define(spec({ a: { type: 'string' }, old: { type: 'string' } }))
    await create('x', { a: '1' })
    await storeInV2(plural, spec({ a: { type: 'string' }, b: { type: 'string' } }))
    const { items } = await client.list({ ...target, version: 'v2' })
    assert.deepEqual(
      items.map((o) => [o.apiVersion, (o as KubeObject).spec]),
      [[`${GROUP}/v2`, { a: '1' }]],
    )
    await client.patch({ ...target, version: 'v2', name: 'x' }, 'merge', { spec: { b: '2' } })
    assert.deepEqual((await client.get({ ...target, name: 'x' })).spec, { a: '1' })
    // Fields that the storage version does not have are lost: a dry run shows that too.
    const dry = await client.patch({ ...target, name: 'x' }, 'merge', { spec: { old: '1' } }, { dryRun: true })
    assert.deepEqual(dry.spec, { a: '1' })
    const crd = await client.get({ ...DEFINITIONS, name: `${plural}.${GROUP}` })
    assert.deepEqual(crd.status?.storedVersions, ['v1', 'v2'])
  })

  test('an update without changes migrates an object to the storage version; field managers of the old one are dropped', async () => {
    const { plural, target, create, make } = await define(spec({ a: { type: 'string' } }))
    const definition = { ...DEFINITIONS, name: `${plural}.${GROUP}` }
    await create('x', { a: '1' })
    await storeInV2(plural, spec({ a: { type: 'string' } }))
    const now = { ...target, version: 'v2', name: 'x' }
    const before = await client.get(now)
    const moved = await client.update(now, before)
    assert.notEqual(moved.metadata.resourceVersion, before.metadata.resourceVersion)
    assert.equal((await client.update(now, moved)).metadata.resourceVersion, moved.metadata.resourceVersion)
    await client.patch({ ...definition, subresource: 'status' }, 'merge', { status: { storedVersions: ['v2'] } })
    await client.patch(definition, 'json', [{ op: 'remove', path: '/spec/versions/0' }])
    const mine = { ...make('x', { a: '2' }), apiVersion: `${GROUP}/v2` }
    const apply = () => client.patch(now, 'apply', mine as never, { fieldManager: 'me', force: true })
    const { status } = await refused(apply())
    assert.deepEqual([status.code, status.message], [500, `request to convert CR to an invalid group/version: ${GROUP}/v1`])
    assert.equal((await client.patch(now, 'merge', { spec: { a: '3' } })).metadata.managedFields, undefined)
    assert.deepEqual(
      (await apply()).metadata.managedFields?.map((entry) => [entry.manager, entry.apiVersion]),
      [
        ['me', `${GROUP}/v2`],
        ['before-first-apply', `${GROUP}/v2`],
      ],
    )
  })

  test('watches end when their objects are served differently, and with the definition, after all events', async () => {
    const { plural, target, create } = await define(spec({ a: { type: 'string' } }))
    const definition = { ...DEFINITIONS, name: `${plural}.${GROUP}` }
    const { metadata } = await client.list(target)
    const since = { resourceVersion: metadata?.resourceVersion ?? '' }
    const watched = async (change: () => Promise<unknown>) => {
      const seen: string[] = []
      const changed = change()
      for await (const batch of client.watch(target, since))
        for (const { type, object } of batch) seen.push(`${type} ${'metadata' in object ? object.metadata?.name : ''} ${object.apiVersion}`)
      await changed
      return seen
    }
    // Later writes are in the new version: watchers of the old one would get wrong events.
    await create('x', { a: '1' })
    assert.deepEqual(await watched(() => storeInV2(plural, spec({ a: { type: 'string' } }))), [`ADDED x ${GROUP}/v1`])
    assert.deepEqual(await watched(() => client.delete(definition)), [`ADDED x ${GROUP}/v1`, `DELETED x ${GROUP}/v1`])
  })

  test('a deleted definition waits for objects with finalizers, and accepts no new ones', async () => {
    const { plural, target, create, make } = await define(spec({}))
    await client.create(target, { ...make('x', {}), metadata: { name: 'x', finalizers: ['example.com/hold'] } })
    await client.delete({ ...DEFINITIONS, name: `${plural}.${GROUP}` })
    const turns = async (done: () => Promise<boolean>) => {
      for (let i = 0; i < 2000 && !(await done()); i++) await new Promise((resolve) => setImmediate(resolve))
      assert(await done())
    }
    await turns(async () => (await client.get({ ...target, name: 'x' })).metadata.deletionTimestamp !== undefined)
    assert.match((await refused(create('y', {}))).message, /create not allowed while custom resource definition is terminating/)
    await client.patch({ ...target, name: 'x' }, 'merge', { metadata: { finalizers: null } })
    await turns(async () => (await client.list(DEFINITIONS)).items.every((d) => d.metadata.name !== `${plural}.${GROUP}`))
  })

  test('server-side apply follows the list types of the schema', async () => {
    const items = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } }
    const { target, make } = await define(
      spec({ l: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items } }),
    )
    const apply = (manager: string, k: string) =>
      client.patch<KubeObject<{ l: { k: string }[] }>>({ ...target, name: 'x' }, 'apply', make('x', { l: [{ k, v: manager }] }), {
        fieldManager: manager,
      })
    await apply('one', 'a')
    const both = await apply('two', 'b')
    assert.deepEqual(
      both.spec?.l.map((e) => e.k),
      ['a', 'b'],
    )
  })

  test('an apply takes a field that the schema drops from its owner in another version', async () => {
    const inner = { type: 'object', properties: { n: { type: 'integer' } } }
    const schema = { ...spec({ in: inner }), 'x-kubernetes-preserve-unknown-fields': true }
    const { plural, target, make } = await define(schema)
    await storeInV2(plural, schema)
    const apply = (version: string, value: unknown) =>
      client.patch(
        { ...target, version, name: 'x' },
        'apply',
        { ...make('x', { in: value }), apiVersion: `${GROUP}/${version}` } as never,
        { fieldManager: version, force: true },
      )
    await apply('v1', { n: 1, dropped: { c: 2 } })
    const { metadata, spec: stored } = await apply('v2', { dropped: { c: 2 } })
    assert.deepEqual(stored, { in: { n: 1 } })
    assert.deepEqual(
      metadata.managedFields?.map(({ apiVersion, fieldsV1 }) => [apiVersion, fieldsV1]),
      [
        [`${GROUP}/v1`, { 'f:spec': { 'f:in': { 'f:n': {} } } }],
        [`${GROUP}/v2`, { 'f:spec': { 'f:in': { 'f:dropped': { '.': {}, 'f:c': {} } } } }],
      ],
    )
  })

  describe('bad input', () => {
    test('prototype names are fields like any other', async () => {
      const open = await define({ type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } })
      const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":2},"toString":"t"}'
      await open.create('x', JSON.parse(text))
      assert.equal(JSON.stringify((await client.get({ ...open.target, name: 'x' })).spec), text)
      const closed = await define(spec({ a: { type: 'string' } }))
      await closed.create('x', JSON.parse('{"a":"1","__proto__":{"b":1},"constructor":2}'))
      assert.deepEqual(Object.keys((await client.get({ ...closed.target, name: 'x' })).spec ?? {}), ['a'])
      const named = await define(spec(JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"integer","minimum":5}}')))
      assert.match(
        (await refused(named.create('x', JSON.parse('{"constructor":1}')))).message,
        /spec\.constructor in body should be greater than or equal to 5/,
      )
      assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    })

    test('a pattern with catastrophic backtracking takes linear time', async () => {
      const { create } = await define(spec({ a: { type: 'string', pattern: '^(a+)+$' } }))
      // An expression that goes back does not come to its end.
      await refused(create('x', { a: `${'a'.repeat(50_000)}!` }))
    })

    // What compares each with all others does not come to its end.
    test('a million elements of a set are judged in linear time', async () => {
      const { create } = await define(spec({ l: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } } }))
      const list = Array.from({ length: 1_000_000 }, (_, i) => i % 100_000)
      assert.match((await refused(create('x', { l: list }))).message, /spec\.l\[100000\]: Duplicate value: 0/)
      await create('x', { l: list.slice(0, 60_000) })
    })

    test('a rule that costs too much is stopped', async () => {
      const rule = { rule: 'self.all(x, self.all(y, x != y || x == y))' }
      const { create } = await define(
        spec({ l: { type: 'array', maxItems: 1000, items: { type: 'integer', maximum: 9 }, 'x-kubernetes-validations': [rule] } }),
      )
      const error = await refused(create('x', { l: Array.from({ length: 1000 }, () => 1) }))
      assert.match(error.message, /no further validation rules will be run due to call cost exceeds limit for rule/)
    })

    test('schemas that refer to others, or are very deep, are refused or taken, never a crash', async () => {
      const error = await refused(define({ type: 'object', properties: { spec: { $ref: '#' } } } as JsonObject))
      assert.match(error.message, /\$ref is not supported/)
      let deep: JsonObject = { type: 'string' }
      for (let i = 0; i < 300; i++) deep = { type: 'object', properties: { a: deep } }
      await define(deep)
      for (let i = 0; i < 20_000; i++) deep = { type: 'object', properties: { a: deep } }
      await refused(define(deep))
      assert.equal((await client.list(DEFINITIONS)).kind, 'CustomResourceDefinitionList')
    })

    test('an object of a megabyte is stored as it is, one of three is refused', async () => {
      const { target, create } = await define(spec({ a: { type: 'string' } }))
      await create('x', { a: 'x'.repeat(1_000_000) })
      assert.equal((await client.get<KubeObject<{ a: string }>>({ ...target, name: 'x' })).spec?.a.length, 1_000_000)
      assert.match((await refused(create('y', { a: 'x'.repeat(3_000_000) }))).message, /too large/)
    })
  })

  test('a third party resource that is migrated keeps its objects', async () => {
    const name = 'cron-tab.stable.example.com'
    const third = {
      apiVersion: 'extensions/v1beta1',
      kind: 'ThirdPartyResource',
      metadata: { name },
      description: 'Runs on schedule',
      versions: [{ name: 'v1' }],
    }
    await client.create({ group: 'extensions', version: 'v1beta1', resource: 'thirdpartyresources' }, third as KubeObject)
    const crontabs = { group: 'stable.example.com', version: 'v1', resource: 'crontabs', namespace: 'default' }
    const object = { apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name: 'c' }, cronSpec: '* * * * /5', image: 'i' }
    const { metadata } = await client.create(crontabs, object as KubeObject)
    assert.deepEqual(await migrateThirdParty(client, name), { definition: 'crontabs.stable.example.com', objects: 1 })
    const kept = await client.get({ ...crontabs, name: 'c' })
    assert.equal(readPath(kept, ['cronSpec']), '* * * * /5')
    assert.equal(kept.metadata.uid, metadata.uid)
    assert.equal((await client.list({ group: 'extensions', version: 'v1beta1', resource: 'thirdpartyresources' })).items.length, 0)
  })
})

const kindOf = (plural: string) => `${plural[0]?.toUpperCase()}${plural.slice(1)}`

const spec = (properties: JsonObject): JsonObject => ({ type: 'object', properties: { spec: { type: 'object', properties } } })

function definition(plural: string, schema: JsonObject, names: JsonObject): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind: kindOf(plural), ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}
