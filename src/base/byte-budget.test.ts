import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from './byte-budget.ts'

/** Whether a promise has resolved when all that is due in this turn has run. */
async function isResolved(promise: Promise<unknown>): Promise<boolean> {
  let resolved = false
  void promise.then(() => {
    resolved = true
  })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  return resolved
}

test('what fits is admitted at once, the next waits for room', async () => {
  const budget = new ByteBudget(10)
  const first = await budget.take(6)
  const second = budget.take(6)
  assert.equal(await isResolved(second), false)
  first[Symbol.dispose]()
  assert.equal(await isResolved(second), true)
  assert.equal(budget.usedBytes, 6)
})

test('a small one does not overtake a large one that waits', async () => {
  const budget = new ByteBudget(10)
  const first = await budget.take(6)
  const [large, small] = [budget.take(8), budget.take(1)]
  assert.deepEqual([await isResolved(large), await isResolved(small)], [false, false])
  first[Symbol.dispose]()
  assert.deepEqual([await isResolved(large), await isResolved(small)], [true, true])
})

test('what is larger than the budget is admitted alone', async () => {
  const budget = new ByteBudget(10)
  const huge = await budget.take(100)
  const next = budget.take(1)
  assert.equal(await isResolved(next), false)
  huge[Symbol.dispose]()
  assert.equal(await isResolved(next), true)
})

test('releasing twice frees the bytes once', async () => {
  const budget = new ByteBudget(10)
  const held = await budget.take(4)
  await budget.take(4)
  held[Symbol.dispose]()
  held[Symbol.dispose]()
  assert.equal(budget.usedBytes, 4)
})
