import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { onAbort, orAborted, untilAborted } from './on-abort.ts'

test('a listener is called once, when the signal is aborted', () => {
  const stop = new AbortController()
  let calls = 0
  onAbort(stop.signal, () => calls++)
  assert.equal(calls, 0)
  stop.abort()
  stop.abort()
  assert.equal(calls, 1)
})

test('a listener is called at once when the signal is aborted already', () => {
  let calls = 0
  onAbort(AbortSignal.abort(), () => calls++)
  assert.equal(calls, 1)
})

test('a listener that was disposed of is not called', () => {
  const stop = new AbortController()
  let calls = 0
  {
    using _ = onAbort(stop.signal, () => calls++)
  }
  stop.abort()
  assert.equal(calls, 0)
})

test('many listeners are one of the signal, which is taken off with the last', () => {
  const stop = new AbortController()
  const calls: string[] = []
  const [a] = ['a', 'b', 'c'].map((name) => onAbort(stop.signal, () => calls.push(name)))
  const own = () => getEventListeners(stop.signal, 'abort').length
  assert.equal(own(), 1)
  a?.[Symbol.dispose]()
  stop.abort()
  assert.deepEqual([calls, own()], [['b', 'c'], 0])
  const other = new AbortController()
  onAbort(other.signal, () => {})[Symbol.dispose]()
  assert.equal(getEventListeners(other.signal, 'abort').length, 0)
})

test('a listener that throws does not keep others from being called, and its error is not caught', async (t) => {
  const stop = new AbortController()
  const calls: string[] = []
  const uncaught = Promise.withResolvers<unknown>()
  const before = process.rawListeners('uncaughtException')
  process.removeAllListeners('uncaughtException').once('uncaughtException', uncaught.resolve)
  t.after(() => {
    for (const listener of before) process.on('uncaughtException', listener as (error: Error) => void)
  })
  onAbort(stop.signal, () => {
    throw new Error('no')
  })
  onAbort(stop.signal, () => calls.push('next'))
  stop.abort()
  assert.deepEqual(calls, ['next'])
  assert.match(String(await uncaught.promise), /no/)
})

test('the wait for a signal ends with it', async () => {
  const stop = new AbortController()
  const aborted = untilAborted(stop.signal).then(() => 'aborted')
  stop.abort()
  assert.equal(await aborted, 'aborted')
  await untilAborted(AbortSignal.abort())
})

const OUTCOMES: readonly (readonly [what: string, promise: () => Promise<string>, signal: AbortSignal | undefined, outcome: string])[] = [
  ['a value', async () => 'value', new AbortController().signal, 'value'],
  ['a value without a signal', async () => 'value', undefined, 'value'],
  ['a value of a call whose signal is aborted', async () => 'value', AbortSignal.abort('reason'), 'rejected: reason'],
  ['no value', () => new Promise(() => {}), AbortSignal.abort('reason'), 'rejected: reason'],
  ['a failure', () => Promise.reject('failure'), new AbortController().signal, 'rejected: failure'],
]

for (const [what, promise, signal, outcome] of OUTCOMES)
  test(`${what}: ${outcome}`, async () =>
    assert.equal(await orAborted(promise(), signal).catch((reason: unknown) => `rejected: ${reason}`), outcome))
