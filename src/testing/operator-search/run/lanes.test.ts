import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Lanes } from './lanes.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('no more runs are under way than there are lanes', async () => {
  const lanes = new Lanes(() => 2)
  let [busy, most] = [0, 0]
  const run = async () => {
    most = Math.max(most, ++busy)
    await setImmediate()
    busy--
  }
  await Promise.all(Array.from({ length: 7 }, () => lanes.run(run)))
  assert.equal(most, 2)
})

test('results come in the order of the tasks, and what follows from one comes next', async () => {
  const lanes = new Lanes(() => 1)
  const results = lanes.inOrder(
    [1, 2],
    async (n) => n * 10,
    (n) => (n === 1 ? [7, 8] : []),
  )
  assert.deepEqual(await collect(results), [
    [1, 10],
    [7, 70],
    [8, 80],
    [2, 20],
  ])
})

test('a task that takes longer does not change the order', async () => {
  const work = async (n: number) => {
    for (let i = 0; i < 5 - n; i++) await setImmediate()
    return n
  }
  assert.deepEqual(await collect(new Lanes(() => 3).inOrder([1, 2, 3, 4], work)), [
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ])
})

test('who stops early waits for what is under way', async () => {
  let ended = 0
  const work = async () => {
    await setImmediate()
    ended++
  }
  for await (const _ of new Lanes(() => 3).inOrder([1, 2, 3, 4, 5], work)) break
  assert.equal(ended, 3)
})

test('a failure is that of the whole', async () => {
  const work = (n: number) => (n === 2 ? Promise.reject(new Error('two')) : Promise.resolve(n))
  await assert.rejects(collect(new Lanes(() => 3).inOrder([1, 2, 3], work)), /two/)
})
