import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { inOrder } from './in-order.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const atATime = () => 3

test('results come in the order of the tasks, and what follows from one comes next', async () => {
  const results = inOrder([1, 2], {
    work: async (n) => n * 10,
    atATime: () => 1,
    following: (n) => (n === 1 ? [7, 8] : []),
  })
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
  assert.deepEqual(await collect(inOrder([1, 2, 3, 4], { work, atATime })), [
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
  for await (const _ of inOrder([1, 2, 3, 4, 5], { work, atATime })) break
  assert.equal(ended, 3)
})

test('a failure is that of the whole', async () => {
  const work = (n: number) => (n === 2 ? Promise.reject(new Error('two')) : Promise.resolve(n))
  await assert.rejects(collect(inOrder([1, 2, 3], { work, atATime })), /two/)
})
