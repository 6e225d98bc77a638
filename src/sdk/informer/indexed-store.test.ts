import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { KubeObject } from '../../machinery/object.ts'
import { IndexedStore } from './indexed-store.ts'

const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  colours: fc.uniqueArray(fc.constantFrom('red', 'green', 'blue')),
  gone: fc.boolean(),
})

test('after any changes an index finds the objects as they stand, each once, under the values that they have', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const store = new IndexedStore<KubeObject>({ colour: (o) => o.spec?.colours ?? [] })
      const model = new Map<string, KubeObject>()
      for (const { name, colours, gone } of changes) {
        const object: KubeObject = { apiVersion: 'v1', kind: 'K', metadata: { name, namespace: 'n' }, spec: { colours } }
        const before = model.get(name)
        assert.equal(gone ? store.delete(`n/${name}`) : store.set(object), before)
        if (gone) model.delete(name)
        else model.set(name, object)
      }
      for (const colour of ['red', 'green', 'blue']) {
        const wanted = [...model.values()].filter((o) => o.spec?.colours.includes(colour))
        assert.deepEqual(new Set(store.byIndex('colour', colour)), new Set(wanted))
      }
      assert.deepEqual(new Set(store.byIndex('namespace', 'n')), new Set(model.values()))
    }),
  )
})
