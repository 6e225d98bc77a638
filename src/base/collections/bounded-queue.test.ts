import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { giveTurn } from '../turns.ts'
import { BoundedQueue, type Taken, workOff } from './bounded-queue.ts'

const never = () => assert.fail('nothing fails here')

const drained = <T>(queue: BoundedQueue<T>): (T | string)[] => {
  const all: (T | string)[] = []
  for (let taken: Taken<T> | undefined = queue.poll(); taken !== undefined; taken = queue.poll()) {
    all.push(taken.kind === 'item' ? taken.item : taken.kind)
    if (taken.kind === 'closed') break
  }
  return all
}

for (const [policy, answers, left] of [
  ['refuse', 'taken taken refused', [1, 2]],
  ['drop', 'taken taken dropped', [2, 3]],
  ['lag', 'taken taken lagging', ['lagging']],
] as const) {
  test(`what does not fit: ${policy}`, () => {
    const queue = new BoundedQueue<number>({ limit: 2, policy })
    assert.equal([1, 2, 3].map((n) => queue.offer(n)).join(' '), answers)
    assert.deepEqual(drained(queue), left)
  })
}

test('a consumer that lags misses what comes until it has heard of it', () => {
  const queue = new BoundedQueue<number>({ limit: 1, policy: 'lag' })
  assert.deepEqual(
    [1, 2, 3].map((n) => queue.offer(n)),
    ['taken', 'lagging', 'lagging'],
  )
  assert.deepEqual(queue.poll(), { kind: 'lagging' })
  assert.equal(queue.offer(4), 'taken')
  assert.deepEqual(drained(queue), [4])
})

test('the bound counts what items weigh; one that is too heavy for the whole queue is given up itself', () => {
  const queue = new BoundedQueue<string>({ limit: 5, policy: 'drop', weigh: (s) => s.length })
  queue.offer('aaa')
  assert.equal(queue.offer('bbb'), 'dropped')
  assert.equal(queue.weight, 3)
  assert.equal(queue.offer('cccccc'), 'dropped')
  assert.deepEqual([queue.size, queue.weight], [0, 0])
})

test('never more waits than the limit, and what comes out came in, in order', () => {
  fc.assert(
    fc.property(fc.constantFrom('refuse', 'drop'), fc.array(fc.option(fc.integer({ min: 1, max: 9 }))), (policy, steps) => {
      const queue = new BoundedQueue<{ n: number; weight: number }>({ limit: 20, policy, weigh: (i) => i.weight })
      const seen: number[] = []
      steps.forEach((weight, n) => {
        if (weight !== null) queue.offer({ n, weight })
        else {
          const taken = queue.poll()
          if (taken?.kind === 'item') seen.push(taken.item.n)
        }
        assert.ok(queue.weight <= 20)
      })
      assert.deepEqual(
        seen,
        [...new Set(seen)].sort((a, b) => a - b),
      )
    }),
  )
})

test('many thousand items pass through without being kept', () => {
  const queue = new BoundedQueue<number>({ limit: 3, policy: 'refuse' })
  for (let n = 0; n < 10_000; n++) {
    queue.offer(n)
    if (n <= 1) continue
    assert.equal(queue.first, n - 2)
    assert.deepEqual(queue.poll(), { kind: 'item', item: n - 2 })
  }
  assert.equal(queue.size, 2)
})

test('no more workers than allowed; failures do not stop them; a closed queue is drained', async () => {
  const queue = new BoundedQueue<number>({ limit: 100, policy: 'refuse' })
  const failed: number[] = []
  const done: number[] = []
  let most = 0
  let now = 0
  const working = workOff(queue, {
    workers: 3,
    async work(n) {
      most = Math.max(most, ++now)
      await giveTurn()
      now--
      if (n % 4 === 0) throw new Error('not this one')
      done.push(n)
    },
    failed: (_error, n) => failed.push(n),
  })
  for (let n = 0; n < 12; n++) queue.offer(n)
  await giveTurn()
  queue.close()
  assert.equal(queue.offer(99), 'closed')
  await working
  assert.deepEqual([most, failed, done], [3, [0, 4, 8], [1, 2, 3, 5, 6, 7, 9, 10, 11]])
})

test('an aborted worker finishes what it has begun and leaves the rest', async () => {
  const queue = new BoundedQueue<number>({ limit: 100, policy: 'refuse' })
  const stop = new AbortController()
  const done: number[] = []
  const working = workOff(
    queue,
    {
      workers: 1,
      async work(n) {
        stop.abort()
        await giveTurn()
        done.push(n)
      },
      failed: never,
    },
    stop.signal,
  )
  queue.offer(1)
  queue.offer(2)
  await working
  assert.deepEqual([done, queue.size], [[1], 1])
})

test('a worker that lags catches up when nothing else is worked on', async () => {
  const queue = new BoundedQueue<number>({ limit: 1, policy: 'lag' })
  const reported: string[] = []
  queue.offer(1)
  queue.offer(2)
  const working = workOff(queue, {
    workers: 2,
    work: async (n) => void reported.push(`${n}`),
    failed: never,
    lagging: async () => void reported.push('caught up'),
  })
  await giveTurn()
  queue.offer(3)
  queue.close()
  await working
  assert.deepEqual(reported, ['caught up', '3'])
})

test('who takes by hand is woken by an item, by the end, and by a signal', async () => {
  const queue = new BoundedQueue<number>({ limit: 9, policy: 'refuse' })
  const taken = queue.take()
  queue.offer(7)
  assert.deepEqual(await taken, { kind: 'item', item: 7 })
  const stop = new AbortController()
  const cut = queue.take(stop.signal)
  stop.abort()
  assert.deepEqual(await cut, { kind: 'closed' })
  const last = queue.take()
  queue.close()
  assert.deepEqual(await last, { kind: 'closed' })
})
