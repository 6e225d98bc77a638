import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, inTurns, type Steps } from './steps.ts'
import { nextTurn } from './turns.ts'

function* count(log: string[]): Steps<number> {
  for (let i = 0; i < 3; i++) {
    log.push(String(i))
    yield
  }
  return 3
}

test('steps give the same, at once and in turns', async () => {
  const log: string[] = []
  assert.equal(atOnce(count(log)), 3)
  nextTurn(() => log.push('others'))
  assert.equal(await inTurns(count(log)), 3)
  assert.deepEqual(log, ['0', '1', '2', '0', 'others', '1', '2'])
})

test('what goes wrong in a step is told', async () => {
  function* fails(): Steps<void> {
    yield
    throw new Error('no')
  }
  assert.throws(() => atOnce(fails()), { message: 'no' })
  await assert.rejects(inTurns(fails()), { message: 'no' })
})
