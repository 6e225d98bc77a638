import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { required } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { StructSchema } from '../../machinery/schema/schema.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import { createResourceRegistry } from '../cache/resource-registry.ts'
import { openWatchCache } from '../cache/watch-cache.ts'
import type { Kinds } from '../kinds.ts'
import { createResourceStore, type ResourceStore } from './resource-store.ts'
import type { Write } from './write.ts'

const ANY: StructSchema = { type: 'struct', required: [], fields: new Map(), preserveUnknown: true }

/** A kind as simple as can be: a size that must be there, and a status of its own. */
const widgets: ResourceDefinition = {
  group: 'example.com',
  names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
  scope: 'Namespaced',
  versions: [{ version: 'v1', served: true, schema: () => ANY, columns: [] }],
  storageVersion: 'v1',
  customDefinition: 'widgets.example.com',
  subresources: { status: { kind: 'status' } },
  rules: {
    generation: 'spec',
    validateCreate: (o) => (o.spec?.size === undefined ? [required('spec.size', '')] : []),
    validateUpdate: (o) => (o.spec?.size === undefined ? [required('spec.size', '')] : []),
  },
}

const NO_KINDS: Kinds = {
  schema: () => ANY,
  has: () => false,
  byOpenapiName: () => undefined,
  kindOf: () => undefined,
  documentation: () => ({}),
  stamp: () => undefined,
}

const KEY = { group: 'example.com', resource: 'widgets', namespace: 'ns', name: 'a' }
const widget = (spec: object): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'ns' },
  spec,
})

interface World extends AsyncDisposable {
  readonly store: ResourceStore
  write(how?: Partial<Write>): Write
}

async function world(): Promise<World> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const random = seededRandom(1)
  const definitions = createResourceRegistry([widgets])
  const storage = openMemoryStore({}, { clock })
  const watchCache = await openWatchCache({ store: storage, definitions, clock, log: silentLogger, freeze: true })
  const store = createResourceStore({ watchCache, definitions, kinds: NO_KINDS, clock, random, allowPrivileged: false })
  return {
    store,
    write: (how) => ({ ...store.ownWrite(KEY), ...how }),
    async [Symbol.asyncDispose]() {
      await watchCache[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
    },
  }
}

const stored = ({ store, write }: World) => store.get(write()).object

test('a create is prepared, validated and stored; the same name twice is refused', async () => {
  await using w = await world()
  await assert.rejects(w.store.create(w.write(), widget({})), (e) => isStatus(e, 'Invalid'))
  const outcome = await w.store.create(w.write(), widget({ size: 1 }))
  assert.equal(outcome.created, true)
  assert.equal(stored(w).metadata.generation, 1)
  assert.ok(stored(w).metadata.uid)
  await assert.rejects(w.store.create(w.write(), widget({ size: 1 })), (e) => isStatus(e, 'AlreadyExists'))
})

test('a dry run goes all the way and stores nothing', async () => {
  await using w = await world()
  const outcome = await w.store.create(w.write({ dryRun: true }), widget({ size: 1 }))
  assert.equal(outcome.kind, 'object')
  assert.throws(
    () => stored(w),
    (e) => isStatus(e, 'NotFound'),
  )
})

test('an update that another one overtakes is made anew from what stands then, and none is lost', async () => {
  await using w = await world()
  await w.store.create(w.write(), widget({ size: 0 }))
  const add = () =>
    w.store.change(KEY, (draft) => {
      draft.spec = { size: draft.spec.size + 1 }
    })
  await Promise.all(Array.from({ length: 10 }, add))
  assert.equal(stored(w).spec.size, 10)
  assert.equal(stored(w).metadata.generation, 11)
})

test('a client that names a revision is told of the conflict instead', async () => {
  await using w = await world()
  await w.store.create(w.write(), widget({ size: 0 }))
  const { resourceVersion = '' } = stored(w).metadata
  await w.store.change(KEY, (draft) => {
    draft.spec = { size: 1 }
  })
  const late = w.store.update(w.write(), {
    draft: () => ({ ...widget({ size: 2 }), metadata: { name: 'a', namespace: 'ns', resourceVersion } }),
  })
  await assert.rejects(late, (e) => isStatus(e, 'Conflict'))
})

test('the status path writes the status alone, the resource path everything else', async () => {
  await using w = await world()
  await w.store.create(w.write(), widget({ size: 0 }))
  const both = (draft: KubeObject) => {
    draft.spec = { size: 7 }
    draft.status = { ready: true }
  }
  await w.store.change(KEY, both, { subresource: 'status' })
  assert.deepEqual([stored(w).spec, stored(w).status, stored(w).metadata.generation], [{ size: 0 }, { ready: true }, 1])
  await w.store.change(KEY, (draft) => {
    both(draft)
    draft.status = {}
  })
  assert.deepEqual([stored(w).spec, stored(w).status, stored(w).metadata.generation], [{ size: 7 }, { ready: true }, 2])
})

test('admission sees the writes of clients and none of the server, and its refusal stores nothing', async () => {
  await using w = await world()
  const seen: string[] = []
  const plugin: AdmissionPlugin = {
    name: 'Test',
    handles: () => true,
    mutate: (r) => {
      seen.push(`mutate ${r.operation}`)
      if (r.object !== undefined) r.object.spec = { ...r.object.spec, colour: 'blue' }
    },
    validate: (r) => {
      seen.push(`validate ${r.operation}`)
      if (r.object?.spec.size > 5) throw new Error('too large')
    },
  }
  const admission = [plugin]
  await w.store.create(w.write({ admission }), widget({ size: 1 }))
  assert.equal(stored(w).spec.colour, 'blue')
  await w.store.change(KEY, (draft) => {
    draft.spec = { size: 2 }
  })
  assert.deepEqual(seen, ['mutate CREATE', 'validate CREATE'])
  await assert.rejects(w.store.update(w.write({ admission }), { draft: () => widget({ size: 9 }) }), /too large/)
  assert.equal(stored(w).spec.size, 2)
  await w.store.delete(w.write({ admission }), {
    gracePeriodSeconds: undefined,
    orphanDependents: undefined,
    propagationPolicy: undefined,
    preconditions: undefined,
  })
  assert.equal(seen.at(-1), 'validate DELETE')
})

test('a deleted object stays until its last finalizer goes', async () => {
  await using w = await world()
  await w.store.create(w.write(), { ...widget({ size: 1 }), metadata: { name: 'a', namespace: 'ns', finalizers: ['example.com/hold'] } })
  const options = { gracePeriodSeconds: undefined, orphanDependents: undefined, propagationPolicy: undefined }
  await assert.rejects(w.store.delete(w.write(), { ...options, preconditions: { uid: 'other' } }), (e) => isStatus(e, 'Conflict'))
  const marked = await w.store.delete(w.write(), { ...options, preconditions: undefined })
  assert.equal(marked.gone, false)
  assert.ok(stored(w).metadata.deletionTimestamp)
  await w.store.change(KEY, (draft) => {
    delete draft.metadata.finalizers
  })
  assert.throws(
    () => stored(w),
    (e) => isStatus(e, 'NotFound'),
  )
})

test('a guaranteed update passes by the rules of the kind', async () => {
  await using w = await world()
  await w.store.create(w.write(), widget({ size: 1 }))
  await w.store.guaranteedUpdate(KEY, (draft) => {
    draft.spec = {}
    draft.status = { bound: true }
  })
  assert.deepEqual([stored(w).spec, stored(w).status], [{}, { bound: true }])
})
