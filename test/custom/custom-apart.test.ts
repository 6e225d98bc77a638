import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { serverPartDouble } from '../../src/cluster/server/server-part.double.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { builtinResources } from '../../src/resources/builtin.ts'
import { CUSTOM_RESOURCE_DEFINITIONS, LEASES } from '../../src/resources/refs.ts'
import type { CustomResourceDefinition } from '../../src/resources/types/apiextensions.ts'
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const DEFINITIONS = CUSTOM_RESOURCE_DEFINITIONS

const start = (store: Store) => serverPartDouble(systemClock, store)

type Gadget = KubeObject<{ n?: number }>
type Names = { readonly plural: string; readonly singular: string; readonly kind: string; readonly listKind: string }

const definition = (group: string, version: string, scope: 'Namespaced' | 'Cluster', names: Names): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${names.plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
  spec: {
    group,
    scope,
    names,
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } } } },
      },
    ],
  },
})

test('a definition over a built-in resource is taken, as everywhere, and touches nothing of it, as everywhere', async () => {
  const { part, client } = await start(openMemoryStore({}, { clock: systemClock }))
  await using _ = part
  const leases = { ...LEASES, namespace: 'default' }
  const lease = await client.create(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: 'me' },
  })
  const stored = () =>
    [...part.watchCache.caches()]
      .filter((c) => c.size > 0)
      .map((c) => `${c.group}/${c.resource} ${c.size}`)
      .filter((t) => !t.startsWith(DEFINITIONS.group))
  const before = stored()
  // The group of a CustomResourceDefinition has a dot.
  const over = builtinResources().filter((d) => d.group.includes('.') && d.versions.some((v) => v.served))
  assert.ok(over.length > 30)
  for (const d of over) {
    const { plural, singular, kind, listKind } = d.names
    const names = { plural, singular: singular || plural, kind, listKind: listKind ?? `${kind}List` }
    const made = definition(d.group, d.storageVersion, d.scope, names)
    const name = made.metadata.name ?? ''
    await client.create(DEFINITIONS, made)
    const standing = await established(name)
    assert.deepEqual(standing, ['NamesAccepted', 'Established'], name)
    assert.deepEqual((await client.get({ ...leases, name: 'l' })).spec, lease.spec, name)
    await client.delete({ ...DEFINITIONS, name })
    const present = () => part.watchCache.reader.get(DEFINITIONS.group, DEFINITIONS.resource, '', name)
    await waitFor(() => present() === undefined, { what: `${name} goes` })
  }
  assert.deepEqual(stored(), before, 'nothing of what is built in went with them')
  assert.deepEqual(await client.get({ ...leases, name: 'l' }), lease)

  function established(name: string): Promise<string[]> {
    return waitFor(async () => {
      const { status } = await client.get({ ...DEFINITIONS, name })
      const conditions = status?.conditions ?? []
      const yes = conditions.filter((c) => c.status === 'True').map((c) => c.type)
      return yes.includes('Established') && yes.filter((t) => t === 'NamesAccepted' || t === 'Established')
    })
  }
})

test('a data folder of an older version opens: its custom objects can be read, listed, changed and deleted', async () => {
  const store = openMemoryStore({}, { clock: systemClock })
  const gadgets = { group: 'old.example.com', version: 'v1', resource: 'gadgets', namespace: 'default' }
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }
  const crd = definition('old.example.com', 'v1', 'Namespaced', names)
  const status = {
    conditions: [
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ],
    acceptedNames: names,
    storedVersions: ['v1'],
  }
  const put = (key: string, object: object) =>
    store.commit({ key: `/registry/${key}`, expect: { absent: true }, value: Buffer.from(JSON.stringify(object)) })
  await put('apiextensions.k8s.io/customresourcedefinitions/gadgets.old.example.com', {
    ...crd,
    metadata: { ...crd.metadata, uid: 'u', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...crd.spec, conversion: { strategy: 'None' } },
    status,
  })
  for (const name of ['a', 'b', 'c']) {
    const metadata = { name, namespace: 'default', uid: name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
    await put(`old.example.com/gadgets/default/${name}`, { apiVersion: 'old.example.com/v1', kind: 'Gadget', metadata, spec: { n: 1 } })
  }
  const { part, client } = await start(store)
  await using _ = part
  const listed = async (options = {}) => {
    const { items, metadata } = await client.list<Gadget>(gadgets, options)
    return { text: items.map((o) => `${o.metadata.name}=${o.spec?.n}`).join(' '), metadata }
  }
  const first = await listed()
  assert.equal(first.text, 'a=1 b=1 c=1')
  const a = await client.get<Gadget>({ ...gadgets, name: 'a' })
  await assert.rejects(client.create<KubeObject>(gadgets, { ...a, metadata: { name: 'a' } }), (e) => isStatus(e, 'AlreadyExists'))
  await client.update<KubeObject>({ ...gadgets, name: 'a' }, { ...a, spec: { n: 2 } })
  await client.delete({ ...gadgets, name: 'b' })
  await client.create<KubeObject>(gadgets, { apiVersion: 'old.example.com/v1', kind: 'Gadget', metadata: { name: 'b' }, spec: { n: 3 } })
  await client.create<KubeObject>(gadgets, { apiVersion: 'old.example.com/v1', kind: 'Gadget', metadata: { name: 'd' }, spec: { n: 4 } })
  assert.equal((await listed()).text, 'a=2 b=3 c=1 d=4')
  const { resourceVersion = '' } = (await listed()).metadata
  await client.delete({ ...gadgets, name: 'c' })
  const past = await listed({ resourceVersion, resourceVersionMatch: 'Exact', limit: 3 })
  assert.deepEqual([past.text, past.metadata.remainingItemCount], ['a=2 b=3 c=1', 1])
  const rest = await listed({ continue: past.metadata.continue })
  assert.equal(rest.text, 'd=4')
  const keys = (await store.range('/registry/')).entries.map((e) => e.key).filter((k) => k.includes('gadgets/'))
  assert.deepEqual(keys, [
    '/registry/custom/old.example.com/gadgets/default/b',
    '/registry/custom/old.example.com/gadgets/default/d',
    '/registry/old.example.com/gadgets/default/a',
  ])
})

test('a server part that cannot be opened lets go of its store', async () => {
  const store = openMemoryStore({}, { clock: systemClock })
  const broken = new Proxy<Store>(store, {
    get: (of, name) => {
      if (name === 'range') return () => Promise.reject(new Error('no'))
      const value: unknown = Reflect.get(of, name, of)
      return typeof value === 'function' ? value.bind(of) : value
    },
  })
  await assert.rejects(start(broken), /no/)
  await assert.rejects(store.get('a'), /closed/)
})

test('a write of the status of a custom object changes nothing else, and defaults of the status show at once', async () => {
  const { part, client } = await start(openMemoryStore({}, { clock: systemClock }))
  await using _ = part
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }
  const plain = definition('status.example.com', 'v1', 'Namespaced', names)
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { n: { type: 'integer' } } },
      status: { type: 'object', default: { phase: 'New' }, properties: { phase: { type: 'string' }, n: { type: 'integer', default: 0 } } },
    },
  }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } }
  await client.create(DEFINITIONS, { ...plain, spec: { ...plain.spec, versions: [version] } })
  const gadgets = { group: 'status.example.com', version: 'v1', resource: 'gadgets', namespace: 'default' }
  const made = await client.create<KubeObject>(gadgets, {
    apiVersion: 'status.example.com/v1',
    kind: 'Gadget',
    metadata: { name: 'a', labels: { l: '1' } },
    spec: { n: 1 },
  })
  assert.deepEqual(made.status, { phase: 'New', n: 0 })
  const written = await client.patch<KubeObject>({ ...gadgets, name: 'a', subresource: 'status' }, 'merge', {
    metadata: { labels: { l: '2' }, finalizers: ['a/b'] },
    spec: { n: 2 },
    status: { n: 5 },
  })
  assert.deepEqual(
    [written.metadata.labels, written.metadata.finalizers, written.spec, written.status],
    [{ l: '1' }, undefined, { n: 1 }, { phase: 'New', n: 5 }],
  )
})
