import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limitByBehavior, limitPlain, ScalingHistory, stabilise } from './scaling-history.ts'

const wish = (current: number, desired: number, least = 1, most = 100) => ({ current, desired, least, most })
const rules = (
  policies: { type: string; value: number; periodSeconds: number }[],
  selectPolicy = 'Max',
  stabilizationWindowSeconds = 0,
) => ({
  policies,
  selectPolicy,
  stabilizationWindowSeconds,
})

test('without a behaviour: at most the double, or four', () => {
  assert.deepEqual(
    [wish(1, 10), wish(5, 50), wish(5, 50, 1, 8), wish(5, 0), wish(5, 6)].map((w) => {
      const { replicas, reason } = limitPlain(w)
      return [replicas, reason]
    }),
    [
      [4, 'ScaleUpLimit'],
      [10, 'ScaleUpLimit'],
      [8, 'TooManyReplicas'],
      [1, 'TooFewReplicas'],
      [6, 'DesiredWithinRange'],
    ],
  )
})

test('policies allow so much in a period, and count what was done in it', () => {
  const four = { type: 'Pods', value: 4, periodSeconds: 60 }
  const double = { type: 'Percent', value: 100, periodSeconds: 60 }
  const behavior = { scaleUp: rules([four, double]), scaleDown: rules([{ type: 'Percent', value: 50, periodSeconds: 60 }]) }
  const history = new ScalingHistory(10, 0)
  assert.equal(limitByBehavior(wish(10, 90), behavior, history, 1000).replicas, 20)
  history.changed(10, 1000)
  assert.equal(limitByBehavior(wish(20, 90), behavior, history, 30_000).replicas, 20)
  assert.equal(limitByBehavior(wish(20, 90), behavior, history, 61_001).replicas, 40)
  assert.equal(limitByBehavior(wish(20, 1), behavior, history, 61_001).replicas, 10)
  const least = { ...behavior, scaleUp: rules([four, double], 'Min') }
  assert.equal(limitByBehavior(wish(10, 90), least, new ScalingHistory(10, 0), 0).replicas, 14)
  const never = { ...behavior, scaleUp: rules([four], 'Disabled') }
  assert.equal(limitByBehavior(wish(10, 90), never, new ScalingHistory(10, 0), 0).replicas, 10)
})

test('a lower wish waits for its window; a higher one for its own', () => {
  const history = new ScalingHistory(5, 0)
  assert.deepEqual(stabilise(wish(5, 2), undefined, history, 15_000).reason, 'ScaleDownStabilized')
  assert.equal(stabilise(wish(5, 2), undefined, history, 299_000).replicas, 5)
  assert.equal(stabilise(wish(5, 2), undefined, history, 301_000).replicas, 2)
  const slow = { scaleUp: rules([], 'Max', 60), scaleDown: rules([], 'Max', 0) }
  const other = new ScalingHistory(5, 0)
  assert.deepEqual(
    [stabilise(wish(5, 9), slow, other, 15_000)].map((s) => [s.replicas, s.reason]),
    [[5, 'ScaleUpStabilized']],
  )
  assert.equal(stabilise(wish(5, 9), slow, other, 61_000).replicas, 9)
})

test('never beyond what is allowed, and never more than the policies in any period', () => {
  const policy = fc.record({
    type: fc.constantFrom('Pods', 'Percent'),
    value: fc.integer({ min: 1, max: 50 }),
    periodSeconds: fc.integer({ min: 15, max: 300 }),
  })
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 30 }),
      (policies, wishes) => {
        const behavior = { scaleUp: rules(policies), scaleDown: rules(policies) }
        const history = new ScalingHistory(10, 0)
        let size = 10
        wishes.forEach((desired, i) => {
          const nowMs = (i + 1) * 15_000
          const limited = limitByBehavior({ current: size, desired, least: 2, most: 120 }, behavior, history, nowMs)
          assert.ok(limited.replicas >= 2 && limited.replicas <= 120)
          assert.ok(desired > size ? limited.replicas >= size : limited.replicas <= size)
          if (limited.replicas !== size) history.changed(limited.replicas - size, nowMs)
          size = limited.replicas
        })
      },
    ),
  )
})
