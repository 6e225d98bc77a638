import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { podInfo } from './cache/pod-info.ts'
import { Nominations } from './nominations.ts'
import { pod } from './plugins/plugin-table.double.ts'

const info = (name: string, priority = 0) => podInfo(pod(name, { spec: { priority } }))

test('a pod leaves room for nominated pods that are at least as important, not for itself or lesser ones', () => {
  const nominations = new Nominations()
  const [low, same, high] = [info('low', 1), info('same', 5), info('high', 9)]
  for (const one of [low, same, high]) nominations.set(one, 'n')
  const names = (list: readonly { readonly key: string }[]) => list.map(({ key }) => key)
  assert.deepEqual(names(nominations.ahead('n', info('p', 5))), ['default/same', 'default/high'])
  assert.deepEqual(names(nominations.behind('n', info('p', 5))), ['default/low'])
  assert.deepEqual(names(nominations.ahead('n', high)), [])
  assert.deepEqual(names(nominations.ahead('other', low)), [])
})

test('a nomination that ends without a binding to that node is reported, one that is fulfilled is not', () => {
  const voided: string[] = []
  const nominations = new Nominations(({ key }) => voided.push(key))
  for (const name of ['a', 'b', 'c', 'd']) nominations.set(info(name), 'n')
  nominations.delete('default/a')
  nominations.placed('default/b', 'n')
  nominations.placed('default/c', 'other')
  nominations.set(info('d'), 'm')
  nominations.delete('default/unknown')
  assert.deepEqual(voided, ['default/a', 'default/c', 'default/d'])
  assert.equal(nominations.nodeOf('default/d'), 'm')
})

test('whatever is set and deleted, each pod has the node that was set last, and no other', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), node: fc.constantFrom(undefined, 'x', 'y') })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const nominations = new Nominations()
      const model = new Map<string, string>()
      for (const { name, node } of steps) {
        if (node === undefined) nominations.delete(`default/${name}`)
        else nominations.set(info(name), node)
        if (node === undefined) model.delete(name)
        else model.set(name, node)
      }
      assert.equal(nominations.any, model.size > 0)
      for (const node of ['x', 'y']) {
        const there = nominations.ahead(node, info('other', 0)).map((p) => p.pod.metadata.name)
        assert.deepEqual(there.sort(), [...model].flatMap(([name, at]) => (at === node ? [name] : [])).sort())
      }
    }),
  )
})
