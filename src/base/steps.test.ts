import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrival, atOnce, inTurns, promptly, type Steps } from './steps.ts'

function* sum(...parts: readonly (number | Promise<number>)[]): Steps<number> {
  let total = 0
  for (const part of parts) {
    total += yield* arrival(part)
    yield
  }
  return total
}

test('what need not wait for others is done at once', () => {
  assert.equal(atOnce(sum(1, 2)), 3)
  assert.equal(promptly(sum(1, 2)), 3)
})

test('what comes from others is waited for, in turns and without', async () => {
  const later = () => sum(1, Promise.resolve(2), Promise.resolve(3))
  assert.equal(await promptly(later()), 6)
  assert.equal(await inTurns(later()), 6)
  assert.throws(() => atOnce(later()), /cannot be done at once/)
})

test('what fails elsewhere fails in the work, and nowhere else', async () => {
  const failing = () => sum(Promise.reject(new Error('no answer')), 1)
  await assert.rejects(Promise.resolve(promptly(failing())), /no answer/)
  await assert.rejects(inTurns(failing()), /no answer/)
  assert.throws(() => atOnce(failing()), /cannot be done at once/)
})
