import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Slots } from './slots.ts'

async function mostAtATime(slots: Slots, count: number): Promise<number> {
  let [busy, most] = [0, 0]
  const run = async () => {
    most = Math.max(most, ++busy)
    await setImmediate()
    busy--
  }
  await Promise.all(Array.from({ length: count }, () => slots.run(run)))
  return most
}

test('no more work is under way than there are slots', async () => {
  assert.equal(await mostAtATime(new Slots(() => 2), 7), 2)
})

test('more slots are used as soon as work ends', async () => {
  let size = 1
  const slots = new Slots(() => size)
  await slots.run(async () => {
    size = 3
  })
  assert.equal(await mostAtATime(slots, 7), 3)
})

test('work begins in order, and a failure frees its slot', async () => {
  const slots = new Slots(() => 1)
  const begun: number[] = []
  const work = async (n: number) => {
    begun.push(n)
    await setImmediate()
    if (n === 1) throw new Error('one')
  }
  const results = await Promise.allSettled([1, 2, 3].map((n) => slots.run(() => work(n))))
  assert.deepEqual(begun, [1, 2, 3])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
})
