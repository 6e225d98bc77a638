import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { VirtualClock } from './clock.ts'
import { untilAborted } from './on-abort.ts'
import { Signal } from './signal.ts'

test('a signal raised before the wait ends the next wait, once', async () => {
  const signal = new Signal()
  signal.raise()
  signal.raise()
  assert.equal(await signal.wait(), 'raised')
  assert.equal(signal.raised, false)
})

test('a lowered signal is as if it had never been raised', async () => {
  const clock = new VirtualClock(0)
  const signal = new Signal()
  signal.raise()
  signal.lower()
  const woken = signal.wait({ clock, untilMs: 10 })
  await clock.advance(10)
  assert.equal(await woken, 'late')
})

test('all who wait are woken by one raise, and nothing is left of it', async () => {
  const signal = new Signal()
  const waits = [signal.wait(), signal.wait()]
  signal.raise()
  assert.deepEqual(await Promise.all(waits), ['raised', 'raised'])
  assert.equal(signal.raised, false)
})

test('a wait that has ended holds on to neither clock nor signal', async () => {
  const clock = new VirtualClock(0)
  let timers = 0
  const counted = {
    now: () => clock.now(),
    after: (ms: number, fn: () => void) => {
      timers++
      const cancel = clock.after(ms, fn)
      return () => {
        timers--
        cancel()
      }
    },
  }
  const stop = new AbortController()
  const signal = new Signal()
  const wait = signal.wait({ clock: counted, untilMs: 10, signal: stop.signal })
  signal.raise()
  assert.equal(await wait, 'raised')
  assert.deepEqual([timers, getEventListeners(stop.signal, 'abort').length], [0, 0])
})

test('an aborted wait fails with its reason, before and after it has begun', async () => {
  const stop = new AbortController()
  const signal = new Signal()
  const wait = signal.wait({ signal: stop.signal })
  stop.abort()
  assert.equal(await wait, 'aborted')
  signal.raise()
  assert.equal(await signal.wait({ signal: stop.signal }), 'aborted')
  await untilAborted(stop.signal)
})
