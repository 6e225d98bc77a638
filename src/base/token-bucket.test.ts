import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TokenBucket } from './token-bucket.ts'

function openBucket(perSecond: number, burst: number) {
  let nowMs = 5000
  const bucket = new TokenBucket({ perSecond, burst }, { monotonic: () => nowMs })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { bucket, pass }
}

test('a burst passes at once, and then one each refill', () => {
  const { bucket, pass } = openBucket(10, 3)
  assert.deepEqual(
    [1, 2, 3, 4].map(() => bucket.take()),
    [true, true, true, false],
  )
  pass(99)
  assert.equal(bucket.take(), false)
  pass(1)
  assert.deepEqual([bucket.take(), bucket.take()], [true, false])
})

test('a reservation waits for its own token, behind those before it', () => {
  const { bucket, pass } = openBucket(10, 1)
  assert.deepEqual([bucket.reserveMs(), bucket.reserveMs(), bucket.reserveMs()], [0, 100, 200])
  pass(300)
  assert.equal(bucket.reserveMs(), 0)
})

test('a bucket is full again when every token is back, and never fuller', () => {
  const { bucket, pass } = openBucket(2, 2)
  bucket.take()
  assert.deepEqual([bucket.isFull, bucket.isEmpty], [false, false])
  bucket.take()
  assert.deepEqual([bucket.isFull, bucket.isEmpty], [false, true])
  pass(1000)
  assert.equal(bucket.isFull, true)
  pass(60_000)
  assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [true, true, false])
})

test('over any time no more passes than the burst and the rate allow', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 8 }), pauses, (perSecond, burst, waits) => {
      const { bucket, pass } = openBucket(perSecond, burst)
      let elapsedMs = 0
      let passed = 0
      for (const ms of waits) {
        pass(ms)
        elapsedMs += ms
        while (bucket.take()) passed++
      }
      assert.ok(passed <= burst + (elapsedMs * perSecond) / 1000 + 1e-6)
    }),
  )
})
