import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from './clock.ts'
import { pause } from './pause.ts'

test('a pause lasts as long as it is given', async () => {
  const clock = new VirtualClock()
  const started = clock.monotonic()
  const done = pause(clock, 5_000, new AbortController().signal).then(() => clock.monotonic() - started)
  await clock.advance(5_000)
  assert.equal(await done, 5_000)
})

test('an aborted signal ends a pause early, and without an error', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const done = pause(clock, 5_000, stop.signal)
  stop.abort(new Error('stopped'))
  assert.equal(await done, undefined)
})
