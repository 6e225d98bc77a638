import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { requestInfo } from '../../apiserver/request/request-info.ts'
import { timelineOf, timeScale } from './timeline.ts'

test('places keep the order of times, and what is still takes little room', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1 }), (times) => {
      const at = timeScale(times)
      const sorted = [...times].sort((a, b) => a - b)
      const places = sorted.map(at)
      assert.ok(places.every((p, i) => p >= 0 && p <= 1 && p >= (places[i - 1] ?? 0)))
    }),
  )
  const at = timeScale([100, 60_000, 60_100])
  assert.deepEqual(
    [at(0), at(100), at(60_000), at(60_100)].map((p) => Math.round(p * 450)),
    [0, 100, 350, 450],
  )
})

test('requests to an object, and to its status, stand beside its life; what made it, beside its collection', () => {
  const call = (id: number, method: string, path: string) => ({
    id,
    atMs: id,
    life: id < 3 ? 1 : 2,
    code: 200,
    doneMs: undefined,
    changed: undefined,
    fault: undefined,
    ...requestInfo(method, path, { watching: false }),
  })
  const maps = '/api/v1/namespaces/a/configmaps'
  const { lanes, runs, marks } = timelineOf({
    calls: [call(1, 'POST', maps), call(2, 'PUT', `${maps}/x`), call(4, 'PUT', `${maps}/y`)],
    callsLeftOut: 0,
    marks: [{ atMs: 3, what: 'killed' }],
    objects: [
      { atMs: 1, lane: 'configmaps a/x', what: 'came' },
      { atMs: 2, lane: 'configmaps a/x', what: 'changed' },
      { atMs: 3, lane: 'configmaps a/x', what: 'went' },
    ],
    said: '',
  })
  assert.deepEqual(
    lanes.map((l) => [l.name, l.items.map((i) => `${i.verb ?? i.kind} ${i.from}`)]),
    [
      ['configmaps a/x', ['change 0.5', 'life 0.25', 'update 0.5']],
      ['configmaps a', ['create 0.25']],
      ['configmaps a/y', ['update 1']],
    ],
  )
  assert.deepEqual(runs, [
    { run: 1, from: 0.25, to: 1 },
    { run: 2, from: 1, to: 1 },
  ])
  assert.deepEqual(marks, [{ at: 0.75, atMs: 3, what: 'killed' }])
})
