import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PassingMap } from './passing-map.ts'

const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key: fc.integer({ max: 8, min: 0 }), value: fc.string() }),
  fc.record({ do: fc.constant('delete' as const), key: fc.integer({ max: 8, min: 0 }) }),
  fc.record({ do: fc.constant('clear' as const) }),
)

test('a passing map holds what a map holds, in the same order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const passing = new PassingMap<number, string>()
      const model = new Map<number, string>()
      for (const one of steps) {
        if (one.do === 'set') {
          passing.set(one.key, one.value)
          model.set(one.key, one.value)
        } else if (one.do === 'delete') {
          passing.delete(one.key)
          model.delete(one.key)
        } else {
          passing.clear()
          model.clear()
        }
        assert.deepEqual([...passing], [...model])
        assert.equal(passing.size, model.size)
        assert.equal(passing.get(3), model.get(3))
      }
    }),
  )
})

test('an entry that is removed while the map is read is not shown', () => {
  const passing = new PassingMap<string, number>()
  for (const [i, key] of ['a', 'b', 'c'].entries()) passing.set(key, i)
  const seen: string[] = []
  for (const [key] of passing) {
    seen.push(key)
    passing.delete('b')
  }
  assert.deepEqual(seen, ['a', 'c'])
})
