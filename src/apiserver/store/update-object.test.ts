import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { mappedWatcher } from '../../storage/mapped-watcher.ts'
import type { Store } from '../../storage/store.ts'
import { KEY, NO_KINDS, storeDouble, widget, widgets } from './store.double.ts'

/** The same store seen through a watch that shows nothing until it is let go, and how often its latest revision was asked for. */
function seenLate(storage: Store) {
  const gate = Promise.withResolvers<void>()
  const asked = { times: 0 }
  const store: Store = {
    latest: () => {
      asked.times++
      return storage.latest()
    },
    get: (key) => storage.get(key),
    range: (prefix, options) => storage.range(prefix, options),
    commit: (proposal) => storage.commit(proposal),
    compact: (revision) => storage.compact(revision),
    watch: (prefix, after) =>
      mappedWatcher(storage.watch(prefix, after), async (changes) => {
        await gate.promise
        return changes
      }),
    async [Symbol.asyncDispose]() {},
  }
  return { store, asked, letGo: () => gate.resolve() }
}

/** Two servers on one store; the caches of `late` are behind until it is let go. */
async function servers() {
  const first = await storeDouble()
  await first.store.create(first.write(), widget({ size: 1 }))
  const { store: storage, asked, letGo } = seenLate(first.storage)
  const late = await storeDouble(widgets, NO_KINDS, { clock: first.clock, storage })
  return {
    first,
    late,
    asked,
    letGo,
    async [Symbol.asyncDispose]() {
      letGo()
      await late[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
    },
  }
}

const resized = (size: number, resourceVersion?: string): KubeObject => ({
  ...widget({ size }),
  metadata: { name: 'a', namespace: 'ns', ...(resourceVersion !== undefined && { resourceVersion }) },
})
const spec = (object: KubeObject) => readPath(object, ['spec'])

test('an update asks the store for nothing first', async () => {
  await using w = await servers()
  w.letGo()
  await w.late.store.update(w.late.write(), { draft: () => resized(2) })
  assert.deepEqual([w.asked.times, spec(w.first.stored())], [0, { size: 2 }])
})

const REFUSED: readonly (readonly [name: string, draft: () => KubeObject])[] = [
  ['changes nothing', () => resized(1)],
  ['is invalid', () => widget({})],
]
for (const [name, draft] of REFUSED)
  test(`an update that ${name} asks whether its state is the latest, and works only once on it`, async () => {
    await using w = await servers()
    let drafts = 0
    const update = w.late.store.update(w.late.write(), {
      draft() {
        drafts++
        return draft()
      },
    })
    await update.catch((error) => assert.ok(isStatus(error, 'Invalid')))
    assert.deepEqual([w.asked.times, drafts], [1, 1])
  })

/** What happens at the first server while the second one does not see it, an update at the second one, and what is stored then. */
const OVERTAKEN: readonly (readonly [name: string, draft: (old: KubeObject | undefined) => KubeObject, stored: object])[] = [
  [
    'a change is made on the latest state',
    (old) => ({ ...resized(5), spec: { ...(readPath(old ?? resized(0), ['spec']) as object), size: 5 } }),
    { size: 5, colour: 'red' },
  ],
  ['what would have changed nothing is written', () => resized(1), { size: 1 }],
]
for (const [name, draft, stored] of OVERTAKEN)
  test(`on an old state: ${name}`, async () => {
    await using w = await servers()
    await w.first.store.update(w.first.write(), { draft: () => ({ ...resized(2), spec: { size: 2, colour: 'red' } }) })
    const update = w.late.store.update(w.late.write(), { draft })
    w.letGo()
    await update
    assert.deepEqual(spec(w.first.stored()), stored)
  })

test('an update for a revision that this server has not seen yet is no conflict', async () => {
  await using w = await servers()
  await w.first.store.update(w.first.write(), { draft: () => resized(2) })
  const { resourceVersion } = w.first.stored().metadata
  const update = w.late.store.update(w.late.write(), { draft: () => resized(3, resourceVersion), revision: resourceVersion })
  w.letGo()
  await update
  assert.deepEqual(spec(w.first.stored()), { size: 3 })
})

test('an update for a revision that is the latest only for this server is a conflict', async () => {
  await using w = await servers()
  const { resourceVersion } = w.late.stored().metadata
  await w.first.store.update(w.first.write(), { draft: () => resized(2) })
  const update = w.late.store.update(w.late.write(), { draft: () => resized(3, resourceVersion), revision: resourceVersion })
  w.letGo()
  await assert.rejects(update, (error) => isStatus(error, 'Conflict'))
  assert.deepEqual(spec(w.first.stored()), { size: 2 })
})

test('an object that this server has not seen yet is found, and one that is gone is not', async () => {
  await using w = await servers()
  await w.first.store.create(w.first.write({ place: { ...KEY, name: 'b', subresource: '' } }), {
    ...widget({ size: 1 }),
    metadata: { name: 'b', namespace: 'ns' },
  })
  const found = w.late.store.update(w.late.write({ place: { ...KEY, name: 'b', subresource: '' } }), {
    draft: () => ({ ...resized(4), metadata: { name: 'b', namespace: 'ns' } }),
  })
  w.letGo()
  await found
  await w.first.store.delete(w.first.write(), {
    gracePeriodSeconds: 0,
    propagationPolicy: undefined,
    orphanDependents: undefined,
    preconditions: undefined,
  })
  await assert.rejects(w.late.store.update(w.late.write(), { draft: () => resized(9) }), (error) => isStatus(error, 'NotFound'))
})
