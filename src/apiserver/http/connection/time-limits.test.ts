import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../../base/clock.ts'
import { TimeLimits } from './time-limits.ts'

test('each span ends once, in time, unless it was cancelled', async () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 30_000 }), cancelled: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const clock = new VirtualClock()
      const limits = new TimeLimits(clock, 60_000)
      const begun: { readonly at: number; ended?: number; readonly cancelled: boolean }[] = []
      for (const { waitMs, cancelled } of steps) {
        await clock.advance(waitMs)
        const one: { at: number; ended?: number; cancelled: boolean } = { at: clock.now(), cancelled }
        const cancel = limits.begin(() => {
          assert.equal(one.ended, undefined)
          one.ended = clock.now()
        })
        if (cancelled) cancel()
        begun.push(one)
      }
      await clock.advance(70_000)
      assert.equal(limits.size, 0)
      for (const { at, ended, cancelled } of begun) {
        if (cancelled) assert.equal(ended, undefined)
        else assert.ok(ended !== undefined && ended >= at + 60_000 && ended <= at + 61_000, `${at} ${ended}`)
      }
    }),
    { numRuns: 40 },
  )
})
