import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinedCalls } from './joined-calls.ts'

test('calls of one turn share one call, which begins after them', async () => {
  let calls = 0
  const count = joinedCalls(async () => ++calls)
  const both = [count(), count()]
  assert.equal(calls, 0)
  assert.deepEqual(await Promise.all(both), [1, 1])
  assert.equal(await count(), 2)
})

test('a failure is that of all callers, and the next call is a new one', async () => {
  let fails = true
  const call = joinedCalls(async () => {
    if (fails) throw new Error('no')
    return 'yes'
  })
  const results = await Promise.allSettled([call(), call()])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  assert.equal(await call(), 'yes')
})
