import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { holding, systemClock, VirtualClock } from './clock.ts'
import type { TimerKind } from './timer-kind.ts'
import { afterCallback, giveTurn, nextTurn } from './turns.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

test('the machine clock keeps waits that are longer than its timers', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let fired = 0
    systemClock.after(60 * DAY_MS, () => fired++)
    const cancel = systemClock.after(60 * DAY_MS, () => assert.fail('was cancelled'))
    // Mocked timers that are set by others begin at the end of the tick: hence hours.
    const hours = (n: number) => {
      for (let i = 0; i < n; i++) mock.timers.tick(HOUR_MS)
    }
    hours(60 * 24 - 1)
    assert.equal(fired, 0)
    cancel()
    hours(4)
    assert.equal(fired, 1)
  } finally {
    mock.timers.reset()
  }
})

test('timers fire in order of their time, then of their making, at their time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ at: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 30 }), async (timers) => {
      const clock = new VirtualClock(0)
      const fired: string[] = []
      timers.forEach(({ at, cancelled }, n) => {
        const cancel = clock.after(at, () => fired.push(`${clock.now()}:${n}`))
        if (cancelled) cancel()
      })
      await clock.advance(15)
      const due = timers.map(({ at, cancelled }, n) => ({ at, n, fires: !cancelled && at <= 15 })).filter((t) => t.fires)
      assert.deepEqual(
        fired,
        due.sort((a, b) => a.at - b.at || a.n - b.n).map(({ at, n }) => `${at}:${n}`),
      )
      assert.equal(clock.now(), 15)
    }),
    { numRuns: 50 },
  )
})

test('all timers of one instant fire before what they set going', async () => {
  const clock = new VirtualClock(0)
  const reported: string[] = []
  clock.after(5, () => void Promise.resolve().then(() => reported.push('after a')))
  clock.after(5, () => reported.push('b'))
  await clock.advance(5)
  assert.deepEqual(reported, ['b', 'after a'])
})

test('a timer that another one of its instant cancels does not fire', async () => {
  const clock = new VirtualClock(0)
  clock.after(5, () => cancel())
  const cancel = clock.after(5, () => assert.fail('was cancelled'))
  await clock.advance(5)
})

test('time waits until nothing runs any more: turns, callbacks, promises', async () => {
  const clock = new VirtualClock(0)
  const reported: string[] = []
  clock.after(1, () => {
    void (async () => {
      for (let i = 0; i < 10; i++) await giveTurn()
      await new Promise<void>((resolve) => afterCallback(resolve))
      nextTurn(() => nextTurn(() => reported.push(`at ${clock.now()}`)))
    })()
  })
  clock.after(2, () => reported.push('next'))
  await clock.advance(2)
  assert.deepEqual(reported, ['at 1', 'next'])
})

test('time waits for a busy part', async () => {
  const clock = new VirtualClock(0)
  const reported: string[] = []
  clock.after(1, () => {
    void holding(clock, 'a disk', () => new Promise<void>((resolve) => void setTimeout(resolve, 5))).then(() =>
      reported.push(`at ${clock.now()}`),
    )
  })
  clock.after(2, () => reported.push('next'))
  await clock.advance(2)
  assert.deepEqual(reported, ['at 1', 'next'])
})

test('who is busy for too long is named and waited for no more', async () => {
  const late: string[] = []
  const clock = new VirtualClock(0, { patienceMs: 1, onImpatience: (busy) => late.push(...busy) })
  const release = clock.busy('a server that hangs')
  await clock.advance(1000)
  await clock.advance(1000)
  release()
  assert.deepEqual([clock.now(), late], [2000, ['a server that hangs']])
})

test('a sleep ends with its time or with its signal, whichever is first', async () => {
  const clock = new VirtualClock(0)
  const stop = new AbortController()
  const cut = clock.sleep(10, stop.signal)
  const whole = clock.sleep(10)
  stop.abort(new Error('enough'))
  await assert.rejects(cut, /enough/)
  await clock.advance(10)
  await whole
})

test('two clocks of a process do not wait for each other', async () => {
  const [a, b] = [new VirtualClock(0), new VirtualClock(0)]
  for (const clock of [a, b]) clock.after(1, () => clock.after(1, () => {}))
  await Promise.all([a.advance(10), b.advance(10)])
  assert.deepEqual([a.now(), b.now()], [10, 10])
})

/** A heartbeat every ten seconds, and when it was played. */
function heartbeat(clock: VirtualClock): readonly number[] {
  const played: number[] = []
  const beat = () => {
    played.push(clock.now())
    clock.after(10_000, beat, 'routine')
  }
  clock.after(3000, beat, 'routine')
  return played
}

test('an hour of routine is one step, and is made up for before anything else', async () => {
  const clock = new VirtualClock(0)
  const played = heartbeat(clock)
  await clock.advance(HOUR_MS)
  assert.ok(played.length < 15, `${played.length} heartbeats`)
  assert.equal(played.at(-1), HOUR_MS - 7000)
  assert.equal(clock.now(), HOUR_MS)
})

test('after anything else, and before it, routine is played beat by beat', async () => {
  const clock = new VirtualClock(0)
  const played = heartbeat(clock)
  let seen: number | undefined
  clock.after(HOUR_MS / 2, () => {
    seen = played.at(-1)
  })
  await clock.advance(HOUR_MS)
  assert.equal(seen, HOUR_MS / 2 - 7000)
  const after = played.filter((at) => at > HOUR_MS / 2 && at < HOUR_MS / 2 + 90_000)
  assert.equal(after.length, 9)
})

test('what is no routine is never late', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(HOUR_MS), { maxLength: 8 }), async (delays) => {
      const clock = new VirtualClock(0)
      heartbeat(clock)
      const fired: number[] = []
      for (const delayMs of delays) clock.after(delayMs, () => fired.push(clock.now()))
      await clock.advance(HOUR_MS)
      assert.deepEqual(
        fired,
        delays.toSorted((a, b) => a - b),
      )
    }),
    { numRuns: 25 },
  )
})

/** A heartbeat every ten seconds, another repetition beside it, and work every five minutes. */
function workday(clock: VirtualClock) {
  const played = { heartbeat: [] as number[], routine: [] as number[], work: [] as number[] }
  const repeat = (kind: TimerKind, everyMs: number) => {
    clock.after(
      everyMs,
      () => {
        played[kind].push(clock.now())
        repeat(kind, everyMs)
      },
      kind,
    )
  }
  repeat('heartbeat', 10_000)
  repeat('routine', 10_000)
  repeat('work', 300_000)
  return played
}

test('after work, looks are played and heartbeats are not', async () => {
  const clock = new VirtualClock(0)
  const { heartbeat, routine, work } = workday(clock)
  await clock.advance(HOUR_MS)
  assert.deepEqual([work.length, work.at(-1)], [12, HOUR_MS])
  assert.equal(routine.filter((at) => at > 300_000 && at <= 390_000).length, 9)
  assert.deepEqual(
    heartbeat.filter((at) => at > 100_000 && at < HOUR_MS - 20_000),
    [],
  )
  assert.ok((heartbeat.at(-1) ?? 0) >= HOUR_MS - 15_000)
})

test('a timer without a kind finds heartbeats made up for, also one that work sets at short notice', async () => {
  const clock = new VirtualClock(0)
  const { heartbeat } = workday(clock)
  const seen: (number | undefined)[] = []
  const look = () => seen.push(heartbeat.at(-1))
  clock.after(1_000_000, look)
  clock.after(2_000_000, () => clock.after(8000, look), 'work')
  await clock.advance(HOUR_MS)
  assert.deepEqual(seen, [990_000, 2_000_000])
})

test('every repetition is played for those who ask for it', async () => {
  const clock = new VirtualClock(0, { everyRoutine: true })
  const played = heartbeat(clock)
  await clock.advance(HOUR_MS)
  assert.equal(played.length, 360)
})
