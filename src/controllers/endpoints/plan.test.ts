import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { truncateSubsets } from './plan.ts'

const some = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }))
const counts = (...pairs: readonly (readonly [ready: number, notReady: number])[]) => {
  const { subsets, truncated } = truncateSubsets(
    pairs.map(([ready, notReady]) => ({ addresses: some(ready), notReadyAddresses: some(notReady) })),
  )
  return truncated ? subsets.map((s) => [s.addresses?.length ?? 0, s.notReadyAddresses?.length ?? 0]) : 'all'
}

test('an Endpoints object holds at most a thousand addresses, ready ones first', () => {
  assert.equal(counts([600, 400]), 'all')
  assert.deepEqual(counts([600, 401]), [[600, 400]])
  assert.deepEqual(counts([1200, 9]), [[1000, 0]])
  assert.deepEqual(counts([300, 1000], [300, 3000]), [
    [300, 100],
    [300, 300],
  ])
})

test('however they are spread, there are a thousand, and none of those that are ready is left out for one that is not', () => {
  const pair = fc.tuple(fc.nat(900), fc.nat(900))
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 6 }), (pairs) => {
      const found = counts(...pairs)
      if (found === 'all') return
      const [ready, notReady] = [0, 1].map((side) => found.reduce((sum, c) => sum + (c[side] ?? 0), 0))
      const wanted = pairs.reduce((sum, [r]) => sum + r, 0)
      assert.equal((ready ?? 0) + (notReady ?? 0), 1000)
      assert.equal(ready, Math.min(1000, wanted))
    }),
  )
})
