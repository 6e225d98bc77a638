import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keptBy } from '../../machinery/kept.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { IndexedStore } from './indexed-store.ts'

type Thing = KubeObject<{ colours: string[] }>
const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  colours: fc.uniqueArray(fc.constantFrom('red', 'green', 'blue')),
  gone: fc.boolean(),
})

test('after any changes an index finds the current objects, each once, under their values', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const store = new IndexedStore<Thing>()
      const byColour = store.addIndex((o) => o.spec?.colours ?? [])
      const model = new Map<string, Thing>()
      for (const { name, colours, gone } of changes) {
        const object: Thing = { apiVersion: 'v1', kind: 'K', metadata: { name, namespace: 'n' }, spec: { colours } }
        const before = model.get(name)
        assert.equal(gone ? store.delete(`n/${name}`) : store.set(`n/${name}`, object), before)
        if (gone) model.delete(name)
        else model.set(name, object)
      }
      for (const colour of ['red', 'green', 'blue']) {
        const wanted = [...model.values()].filter((o) => o.spec?.colours.includes(colour))
        assert.deepEqual(new Set(byColour.objects(colour)), new Set(wanted))
      }
      assert.deepEqual(new Set(store.list('n')), new Set(model.values()))
    }),
  )
})

test('of objects stored elsewhere it holds only the latest, and finds all current ones', () => {
  const store = new IndexedStore<Thing>()
  const byColour = store.addIndex((o) => o.spec?.colours ?? [])
  const requested = { times: 0 }
  const make = (i: number, version: string): Thing => {
    const object: Thing = {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: `o${i}`, namespace: 'n', resourceVersion: version },
      spec: { colours: [i % 2 === 0 ? 'red' : 'blue'] },
    }
    keptBy(object, {
      get object() {
        requested.times++
        return object
      },
    })
    return object
  }
  for (let i = 0; i < 10_000; i++) store.set(`n/o${i}`, make(i, '1'))
  assert.equal(store.held, 1024)
  for (let round = 2; round < 10; round++) store.set('n/o1', make(1, String(round)))
  assert.equal(store.held, 1024 - 7, 'one that changes again and again is held once')
  requested.times = 0
  assert.equal(store.get('n/o9999')?.metadata.resourceVersion, '1')
  assert.equal(store.get('n/o1')?.metadata.resourceVersion, '9')
  assert.equal(requested.times, 0)
  assert.equal(store.get('n/o3')?.metadata.name, 'o3')
  assert.equal(requested.times, 1)
  assert.equal(byColour.objects('red').length, 5000)
  assert.equal(store.list().length, 10_000)
  for (let i = 0; i < 10_000; i++) store.delete(`n/o${i}`)
  assert.deepEqual([store.size, store.held, byColour.objects('blue').length], [0, 0, 0])
})

test('objects that are stored nowhere else are all held here', () => {
  const store = new IndexedStore<Thing>()
  for (let i = 0; i < 5000; i++) store.set(`o${i}`, { apiVersion: 'v1', kind: 'K', metadata: { name: `o${i}` } })
  assert.equal(store.held, 5000)
})
