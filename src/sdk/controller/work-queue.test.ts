import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { WorkQueue } from './work-queue.ts'

test('a key that waits twice is worked on once', async () => {
  const queue = new WorkQueue({ clock: new VirtualClock() })
  queue.add('a')
  queue.add('a')
  assert.equal(await queue.take(), 'a')
  assert.equal(queue.size, 0)
})

test('a key added while it is worked on comes again after done, never before', async () => {
  const queue = new WorkQueue({ clock: new VirtualClock() })
  queue.add('a')
  await queue.take()
  queue.add('a')
  assert.equal(queue.size, 0)
  queue.done('a')
  assert.equal(await queue.take(), 'a')
})

test('failures wait longer each time until the key is forgotten', async () => {
  const clock = new VirtualClock()
  const queue = new WorkQueue({ clock, firstMs: 10, maxMs: 1000 })
  for (const wait of [10, 20, 40]) {
    queue.addRateLimited('a')
    await clock.advance(wait - 1)
    assert.equal(queue.size, 0)
    await clock.advance(1)
    assert.equal(await queue.take(), 'a')
    queue.done('a')
  }
  queue.forget('a')
  queue.addRateLimited('a')
  await clock.advance(10)
  assert.equal(queue.size, 1)
})

test('of two waits the earlier counts', async () => {
  const clock = new VirtualClock()
  const queue = new WorkQueue({ clock })
  queue.addAfter('a', 100)
  queue.addAfter('a', 10)
  queue.addAfter('a', 50)
  await clock.advance(10)
  assert.equal(await queue.take(), 'a')
  queue.done('a')
  await clock.advance(1000)
  assert.equal(queue.idle, true)
})

test('a taker waits for the next key, and is sent home when the queue closes', async () => {
  const queue = new WorkQueue({ clock: new VirtualClock() })
  const [first, second] = [queue.take(), queue.take()]
  queue.add('a')
  assert.equal(await first, 'a')
  queue.close()
  assert.equal(await second, undefined)
})
