import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { nextTurn } from '../../base/turns.ts'
import { COMMAND_WORK, Pacer } from './pacer.ts'

const forever = new AbortController().signal

/** Spends work until it is stopped; how many times it could. */
function spending(pacer: Pacer, signal: AbortSignal, work = COMMAND_WORK) {
  const state = { count: 0 }
  const run = async () => {
    for (;;) {
      await pacer.spend(work, signal)
      state.count++
    }
  }
  run().catch(() => {})
  return state
}

test('an endless loop lets the event loop turn, and time pass', async () => {
  const clock = new VirtualClock()
  const killer = new AbortController()
  const loop = spending(new Pacer(clock), killer.signal)
  let turned = false
  nextTurn(() => {
    turned = true
  })
  await clock.advance(100)
  killer.abort()
  assert.ok(turned)
  assert.ok(loop.count > 100 && loop.count < 100_000, String(loop.count))
})

test('loops that share a pacer do no more together than one does alone', async () => {
  const countOf = async (loops: number) => {
    const clock = new VirtualClock()
    const killer = new AbortController()
    const pacer = new Pacer(clock)
    const states = Array.from({ length: loops }, () => spending(pacer, killer.signal))
    await clock.advance(100)
    killer.abort()
    return states.reduce((sum, { count }) => sum + count, 0)
  }
  const alone = await countOf(1)
  const together = await countOf(100)
  assert.ok(Math.abs(alone - together) < alone / 2, `${alone} alone, ${together} together`)
})

test('large work costs as much as many small ones', async () => {
  const clock = new VirtualClock()
  const killer = new AbortController()
  const [small, large] = [spending(new Pacer(clock), killer.signal, 10), spending(new Pacer(clock), killer.signal, 8000)]
  await clock.advance(200)
  killer.abort()
  assert.ok(small.count > 50 * large.count, `${small.count} small, ${large.count} large`)
})

test('a killed process is refused its next step', async () => {
  const killer = new AbortController()
  const pacer = new Pacer(new VirtualClock())
  await pacer.spend(1, killer.signal)
  killer.abort(new Error('killed'))
  await assert.rejects(pacer.spend(1, killer.signal), /killed/)
  await pacer.spend(1, forever)
})

test('a computation in steps gives its result, and hears its end', async () => {
  const clock = new VirtualClock()
  const pacer = new Pacer(clock)
  function* count(to: number) {
    for (let i = 0; i < to; i++) yield
    return to
  }
  assert.equal(await pacer.run(count(3), forever), 3)
  const killer = new AbortController()
  const endless = pacer.run(count(Number.POSITIVE_INFINITY), killer.signal)
  const rejected = assert.rejects(endless, /killed/)
  await clock.advance(50)
  killer.abort(new Error('killed'))
  await clock.advance(50)
  await rejected
})
