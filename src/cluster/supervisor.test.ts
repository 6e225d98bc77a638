import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { type PartDeath, RESTART, Supervisor } from './supervisor.ts'

function setUp() {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const deaths: PartDeath[] = []
  const supervisor = new Supervisor({ clock, log: silentLogger, signal: stop.signal, died: (d) => deaths.push(d) })
  let given: string | undefined
  void supervisor.failed.then((e) => {
    given = `${e.part}: ${e.cause instanceof Error ? e.cause.message : e.cause}`
  })
  return { clock, stop, deaths, supervisor, given: () => given }
}

const untilAborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

test('a part that throws is named and started again, and its leavings are aborted', async () => {
  const { clock, stop, deaths, supervisor, given } = setUp()
  let lives = 0
  let leavingsAborted = 0
  supervisor.start('controllers', async () => async (signal) => {
    lives++
    signal.addEventListener('abort', () => leavingsAborted++)
    if (lives < 3) throw new Error(`life ${lives}`)
    await untilAborted(signal)
  })
  await clock.advance(10_000)
  assert.deepEqual(
    deaths.map((d) => [d.part, d.error.message, d.restartMs]),
    [
      ['controllers', 'life 1', RESTART.firstMs],
      ['controllers', 'life 2', RESTART.firstMs * 2],
    ],
  )
  assert.equal(lives, 3)
  assert.equal(leavingsAborted, 2)
  assert.equal(given(), undefined)
  stop.abort()
  await supervisor.ended()
})

test('a part that dies again and again is given up by name; the others go on', async () => {
  const { clock, stop, deaths, supervisor, given } = setUp()
  let others = 0
  supervisor.start('scheduler', async () => async () => Promise.reject(new Error('no')))
  supervisor.start('nodes', async () => async (signal) => {
    others++
    await untilAborted(signal)
  })
  await clock.advance(3_600_000)
  assert.equal(deaths.length, RESTART.attempts)
  assert.equal(given(), 'scheduler: no')
  assert.equal(others, 1)
  stop.abort()
  await supervisor.ended()
})

test('a part that lived for a while before it died begins its back-off anew', async () => {
  const { clock, stop, deaths, supervisor, given } = setUp()
  supervisor.start('scheduler', async () => async (signal) => {
    await clock.sleep(RESTART.forgetMs, signal)
    throw new Error('late')
  })
  await clock.advance(RESTART.forgetMs * 20)
  assert.ok(deaths.length > RESTART.attempts)
  assert.deepEqual(new Set(deaths.map((d) => d.restartMs)), new Set([RESTART.firstMs]))
  assert.equal(given(), undefined)
  stop.abort()
  await supervisor.ended()
})

test('an import that fails gives the part up at once', async () => {
  const { clock, supervisor, given, deaths } = setUp()
  const nowhere = './no-such-module.ts'
  supervisor.start('controllers', () => import(nowhere))
  while (given() === undefined) await clock.advance(0)
  assert.match(given() ?? '', /^controllers: Cannot find module/)
  assert.equal(deaths[0]?.restartMs, undefined)
  await supervisor.ended()
})

test('a part that ends before the stop has failed; ends after the stop have not', async () => {
  const { clock, stop, deaths, supervisor } = setUp()
  supervisor.start('nodes', async () => async () => {})
  await clock.advance(0)
  assert.equal(deaths[0]?.error.message, 'it ended by itself')
  const before = deaths.length
  stop.abort()
  await supervisor.ended()
  assert.equal(deaths.length, before)
})
