import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countOf, nodesOf } from '../../machine/node-mask.ts'
import { resourceHints } from './device-hints.ts'

const NODES = [0, 1, 2]
const pool = (places: readonly (readonly number[])[]) => ({
  devices: new Map(places.map((numaNodes, i) => [`d${i}`, { id: `d${i}`, healthy: true, numaNodes }])),
})
const ids = (places: readonly unknown[]) => places.map((_, i) => `d${i}`)

test('a resource without topology gives no hints; one without enough devices gives an empty list', () => {
  assert.equal(resourceHints(NODES, pool([[], []]), { count: 1, held: undefined, free: ['d0'], reusable: [] }), undefined)
  assert.deepEqual(resourceHints(NODES, pool([[0]]), { count: 2, held: undefined, free: ['d0'], reusable: [] }), [])
  assert.deepEqual(resourceHints(NODES, pool([[0], [1]]), { count: 2, held: ['d0'], free: ['d1'], reusable: [] }), [])
})

test('a NUMA node that the machine does not have is nowhere', () => {
  assert.deepEqual(resourceHints(NODES, pool([[32]]), { count: 1, held: undefined, free: ['d0'], reusable: [] }), [])
})

test('every hint has enough devices, what is reused among them; the preferred ones are as small as the machine allows', () => {
  const place = fc.uniqueArray(fc.constantFrom(...NODES), { maxLength: 2 })
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(),
      fc.nat(),
      (places, count, used, lent) => {
        const all = ids(places)
        const reusable = all.filter((_, i) => (lent >> i) & 1).slice(0, 2)
        const free = all.filter((id, i) => !((used >> i) & 1) && !reusable.includes(id))
        const hints = resourceHints(NODES, pool(places), { count, held: undefined, free, reusable })
        const inside = (mask: number, of: readonly string[]) =>
          of.filter((id) => places[Number(id.slice(1))]?.some((n) => nodesOf(mask).includes(n)))
        const sizes = [1, 2, 3, 4, 5, 6, 7].filter((mask) => inside(mask, all).length >= count).map(countOf)
        for (const { nodes = 0, preferred } of hints ?? []) {
          const near = reusable.filter((id) => (places[Number(id.slice(1))]?.length ?? 0) > 0)
          assert.equal(inside(nodes, near).length, near.length)
          assert.ok(inside(nodes, [...free, ...near]).length >= count)
          assert.equal(preferred, countOf(nodes) === Math.min(3, ...sizes))
        }
      },
    ),
  )
})
