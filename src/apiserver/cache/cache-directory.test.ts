import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { CacheDirectory, canShare } from './cache-directory.ts'
import { MemoryBudget } from './memory-budget.ts'
import { encodeObject } from './object-bytes.ts'
import { OwnWrites } from './own-writes.ts'
import { createResourceRegistry } from './resource-registry.ts'
import type { SharedCaches } from './shared-caches.ts'
import { bytesOf } from './stored-object.ts'

const definitionOf = (group: string, plural: string, customDefinition?: string) =>
  ({
    group,
    names: { kind: plural, listKind: `${plural}List`, plural, singular: plural },
    scope: 'Namespaced',
    versions: [],
    storageVersion: 'v1',
    rules: {},
    ...(customDefinition !== undefined && { customDefinition }),
  }) as unknown as ResourceDefinition

const PODS = definitionOf('', 'pods')
const DEPLOYMENTS = definitionOf('apps', 'deployments')
const WIDGETS = definitionOf('example.com', 'widgets', 'widgets.example.com')

const directory = (shared?: SharedCaches, definitions = [PODS, DEPLOYMENTS]) =>
  new CacheDirectory({
    definitions: createResourceRegistry(definitions),
    log: silentLogger,
    budget: new MemoryBudget(1 << 20),
    floor: 1,
    reached: () => 1,
    shared,
  })

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { namespace: 'a', name } })

for (const [storeKey, name, key, old] of [
  ['/registry/core/pods/a/b', '/pods', 'a/b', false],
  ['/registry/apps/deployments/a/b', 'apps/deployments', 'a/b', false],
  ['/registry/custom/example.com/widgets/a/b', 'example.com/widgets', 'a/b', false],
  ['/registry/example.com/widgets/a/b', 'example.com/widgets', 'a/b', true],
  ['/registry/core/nodes/one', '/nodes', 'one', true],
] as const)
  test(`locates ${storeKey}`, () => {
    const caches = directory()
    const location = caches.locate(storeKey)
    const [group = '', resource = ''] = name.split('/')
    assert.equal(location?.cache, caches.named(group, resource))
    assert.deepEqual([location?.key, location?.old], [key, old])
  })

for (const storeKey of ['', '/registry/', '/registry/core', '/registry/core/pods', '/other/core/pods/a', 'compact_rev_key'])
  test(`no object has the key ${JSON.stringify(storeKey)}`, () => assert.equal(directory().locate(storeKey), undefined))

test('a custom definition never shares a cache with a built-in kind of the same name', () => {
  const caches = directory()
  const custom = caches.of(definitionOf('apps', 'deployments', 'deployments.apps'))
  assert.notEqual(custom, caches.of(DEPLOYMENTS))
  assert.equal(caches.of(DEPLOYMENTS), caches.named('apps', 'deployments'))
  assert.equal(caches.storeKey(definitionOf('apps', 'deployments', 'deployments.apps'), 'a/b'), '/registry/custom/apps/deployments/a/b')
})

test('a custom object at the prefix of an earlier version keeps its key until it is deleted', () => {
  const caches = directory()
  const old = '/registry/example.com/widgets/a/b'
  const location = caches.locate(old)
  assert.ok(location)
  assert.equal(caches.storeKey(WIDGETS, 'a/b'), '/registry/custom/example.com/widgets/a/b')
  caches.noteStored(old, location)
  assert.equal(caches.storeKey(WIDGETS, 'a/b'), old)
  caches.noteDeleted(old, location)
  assert.equal(caches.storeKey(WIDGETS, 'a/b'), '/registry/custom/example.com/widgets/a/b')
})

test('what is in no store is shown, and neither read again from the store nor shared', () => {
  const caches = directory()
  caches.show(PODS, 'a/shown', object('shown'))
  assert.equal(caches.of(PODS).get('a/shown')?.object.metadata.name, 'shown')
  assert.deepEqual([...caches.stored()], [])
  assert.equal(directory(caches.share(1)).of(PODS).size, 0)
})

test('another directory begins with shared content, but for other built-in kinds', () => {
  const caches = directory()
  const cache = caches.of(DEPLOYMENTS)
  cache.load(cache.item({ key: 'a/b', source: bytesOf(encodeObject(object('b'))), revision: 1 }))
  const shared = caches.share(1)
  assert.equal(directory(shared).of(DEPLOYMENTS).get('a/b')?.object.metadata.name, 'b')
  assert.equal(canShare(shared, createResourceRegistry([PODS, DEPLOYMENTS])), true)
  assert.equal(canShare(shared, createResourceRegistry([PODS])), false)
  assert.equal(canShare({ revision: 1 }, createResourceRegistry([PODS, DEPLOYMENTS])), false)
})

test("an own write's object is the item's, once, and a foreign write is decoded", () => {
  const caches = directory()
  const location = caches.locate('/registry/core/pods/a/b')
  assert.ok(location)
  const writes = new OwnWrites(true)
  const own = { value: Buffer.from(encodeObject(object('b'))), object: object('b') }
  const value = Buffer.from(own.value)
  const entry = { key: '/registry/core/pods/a/b', value, sizeBytes: value.length, revision: 7, createRevision: 7, expiresAt: undefined }
  writes.add(entry.key, own)
  const item = writes.itemOf(location, entry)
  assert.equal(item.object, own.object)
  assert.equal(own.object.metadata.resourceVersion, '7')
  assert.ok(Object.isFrozen(own.object))
  assert.notEqual(writes.itemOf(location, { ...entry, revision: 8 }).object, own.object, 'the same bytes again are another write')
  writes.remove(entry.key, own)
  assert.notEqual(writes.itemOf(location, { ...entry, revision: 9 }).object, own.object)
})
