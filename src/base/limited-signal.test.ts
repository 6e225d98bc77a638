import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from './clock.ts'
import { limitedSignal } from './limited-signal.ts'
import { onAbort } from './on-abort.ts'

test('the time limit aborts the signal with its reason', async () => {
  const clock = new VirtualClock()
  const late = new Error('late')
  using limit = limitedSignal(clock, 100, { reason: () => late })
  await clock.advance(99)
  assert.deepEqual([limit.signal.aborted, limit.expired], [false, false])
  await clock.advance(1)
  assert.deepEqual([limit.signal.reason, limit.expired], [late, true])
})

test('without a reason it is a TimeoutError', async () => {
  const clock = new VirtualClock()
  using limit = limitedSignal(clock, 1)
  await clock.advance(1)
  assert.equal(limit.signal.reason.name, 'TimeoutError')
})

test('the parent aborts it with its own reason, and then it does not expire', async () => {
  const clock = new VirtualClock()
  const parent = new AbortController()
  using limit = limitedSignal(clock, 100, { parent: parent.signal })
  parent.abort('gone')
  await clock.advance(100)
  assert.deepEqual([limit.signal.reason, limit.expired], ['gone', false])
})

test('a parent that is aborted already aborts it at once', () => {
  using limit = limitedSignal(new VirtualClock(), 100, { parent: AbortSignal.abort('before') })
  assert.equal(limit.signal.reason, 'before')
})

test('what is disposed of neither expires nor listens', async () => {
  const clock = new VirtualClock()
  const parent = new AbortController()
  const limit = limitedSignal(clock, 100, { parent: parent.signal })
  limit[Symbol.dispose]()
  parent.abort()
  await clock.advance(100)
  assert.deepEqual([limit.signal.aborted, limit.expired], [false, false])
})

test('onAbort calls once, and not after it was disposed of', () => {
  const calls: string[] = []
  const [one, two] = [new AbortController(), new AbortController()]
  onAbort(one.signal, () => calls.push('one'))
  onAbort(two.signal, () => calls.push('two'))[Symbol.dispose]()
  one.abort()
  two.abort()
  onAbort(one.signal, () => calls.push('already'))
  onAbort(undefined, () => calls.push('never'))
  assert.deepEqual(calls, ['one', 'already'])
})
