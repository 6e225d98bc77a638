import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { AuditBackend } from './audit-backend.ts'
import type { AuditEvent } from './audit-event.ts'
import { type BatchConfig, BatchingBackend } from './batching-backend.ts'

const event = (auditID: string, responseObject?: string) => ({ auditID, responseObject }) as unknown as AuditEvent
const CONFIG: BatchConfig = { mostWaiting: 10, mostInBatch: 2, waitMs: 1000, throttle: undefined, orderMs: 500 }

/** A backend that answers when the test lets it. */
function world(config: Partial<BatchConfig> = {}) {
  const clock = new VirtualClock()
  const batches: string[] = []
  const answers: (() => void)[] = []
  let dropped = 0
  const inner: AuditBackend = {
    process(events) {
      batches.push(events.map((e) => e.auditID).join(''))
      return new Promise((resolve) => answers.push(() => resolve(true)))
    },
    async [Symbol.asyncDispose]() {},
  }
  const backend = new BatchingBackend({ ...CONFIG, ...config }, inner, {
    clock,
    dropped: (n) => {
      dropped += n
    },
  })
  const send = (ids: string) => backend.process([...ids].map((id) => event(id)))
  return { clock, batches, answers, backend, send, dropped: () => dropped }
}

test('a full batch goes at once, one that is not full when its time has come', async () => {
  const { clock, batches, send } = world()
  send('ab')
  assert.deepEqual(batches, ['ab'])
  const { clock: later, batches: others, send: put } = world()
  put('a')
  await later.advance(999)
  assert.deepEqual(others, [])
  await later.advance(1)
  assert.deepEqual(others, ['a'])
  assert.equal(clock.now() > 0, true)
})

test('batches come in order, unless the receiver is slow', async () => {
  const { clock, batches, answers, send } = world()
  send('abcdef')
  assert.deepEqual(batches, ['ab'])
  answers[0]?.()
  await clock.advance(0)
  assert.deepEqual(batches, ['ab', 'cd'])
  await clock.advance(500)
  assert.deepEqual(batches, ['ab', 'cd', 'ef'])
})

test('an absent receiver costs a bounded number of events, those on their way included', async () => {
  const { clock, batches, send, dropped, answers } = world()
  for (let i = 0; i < 50; i++) send('a')
  await clock.advance(10_000)
  assert.equal(batches.join('').length, 10)
  assert.equal(dropped(), 40)
  for (const answer of answers) answer()
  await clock.advance(0)
  send('b')
  await clock.advance(1000)
  assert.equal(batches.at(-1), 'b')
})

test('large events are bounded by their bytes', () => {
  const { backend, dropped } = world({ mostWaiting: 1_000_000, mostInBatch: 1_000_000 })
  const body = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 100; i++) backend.process([event('a', body)])
  assert.ok(dropped() > 30 && dropped() < 40, String(dropped()))
})

test('a throttle lets a burst through, and then so many a second', async () => {
  const { clock, batches, answers, send } = world({ mostInBatch: 1, throttle: { perSecond: 2, burst: 3 }, orderMs: 0 })
  send('abcdef')
  for (let i = 0; i < 10; i++) {
    for (const answer of answers) answer()
    await clock.advance(0)
  }
  assert.equal(batches.length, 3)
  await clock.advance(500)
  assert.equal(batches.length, 4)
  await clock.advance(1000)
  assert.equal(batches.length, 6)
})

test('what waits at the end is sent, and not waited for longer than the bound', async () => {
  const { clock, batches, backend, send } = world()
  send('abc')
  const ended = backend[Symbol.asyncDispose]()
  assert.deepEqual(batches, ['ab', 'c'])
  await clock.advance(10_000)
  await ended
})
