import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Disruption, type NodeHealth, rateOf, stateOf } from './disruption.ts'

const zone = (name: string, ready: number, notReady: number): NodeHealth[] => [
  ...Array.from({ length: ready }, () => ({ zone: name, ready: true })),
  ...Array.from({ length: notReady }, () => ({ zone: name, ready: false })),
]

test('how a zone is', () => {
  for (const [ready, notReady, state] of [
    [3, 0, 'normal'],
    [2, 1, 'normal'],
    [1, 2, 'normal'],
    [2, 3, 'partial'],
    [5, 3, 'normal'],
    [0, 1, 'full'],
    [0, 0, 'normal'],
  ] as const)
    assert.equal(stateOf(ready, notReady), state, `${ready} ready, ${notReady} not`)
  assert.deepEqual([rateOf('normal', 9), rateOf('full', 9), rateOf('partial', 50), rateOf('partial', 51)], [0.1, 0.1, 0, 0.01])
})

test('one node of a zone goes at once, the next ten seconds later', () => {
  let now = 0
  const disruption = new Disruption({ now: () => now })
  disruption.observe([...zone('a', 5, 2), ...zone('b', 1, 1)])
  assert.deepEqual([disruption.mayGiveUp('a'), disruption.mayGiveUp('a'), disruption.mayGiveUp('b')], [true, false, true])
  now = 9_999
  assert.equal(disruption.mayGiveUp('a'), false)
  disruption.observe(zone('a', 5, 2))
  now = 10_000
  assert.equal(disruption.mayGiveUp('a'), true)
})

test('a small zone with most nodes lost is not evicted from, nor is any zone when the whole cluster is lost', () => {
  let now = 0
  const disruption = new Disruption({ now: () => now })
  disruption.observe([...zone('a', 2, 3), ...zone('b', 0, 2)])
  assert.deepEqual([disruption.mayGiveUp('a'), disruption.mayGiveUp('b'), disruption.total], [false, true, false])
  assert.equal(disruption.observe([...zone('a', 0, 5), ...zone('b', 0, 2)]), 'all lost')
  now = 100_000
  assert.deepEqual([disruption.mayGiveUp('a'), disruption.mayGiveUp('b'), disruption.total], [false, false, true])
  assert.equal(disruption.observe([...zone('a', 0, 5), ...zone('b', 0, 2)]), undefined)
  assert.equal(disruption.observe([...zone('a', 1, 4), ...zone('b', 0, 2)]), 'some are back')
  assert.equal(new Disruption({ now: () => now }).observe([]), undefined)
})

test('a zone never gives up more than its rate allows', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 50 }), (waits) => {
      let now = 0
      let gone = 0
      const disruption = new Disruption({ now: () => now })
      disruption.observe(zone('a', 9, 4))
      for (const wait of waits) {
        now += wait
        disruption.observe(zone('a', 9, 4))
        if (disruption.mayGiveUp('a')) gone++
      }
      assert.ok(gone <= 1 + now / 10_000)
    }),
  )
})
