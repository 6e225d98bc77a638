import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CronError } from '../../resources/batch/cron-schedule.ts'
import type { CronJob } from '../../resources/types/batch.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planDue } from './plan.ts'
import { parseSchedule } from './schedule.ts'

for (const [schedule, zone, after, next] of [
  ['* * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  ['*/15 * * * *', 'UTC', '2026-01-01T00:46:10Z', '2026-01-01T01:00:00Z'],
  ['0 3 * * mon-fri', 'UTC', '2026-01-02T04:00:00Z', '2026-01-05T03:00:00Z'],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 13 * fri', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['@daily', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['30 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01T04:00:00Z'],
  ['TZ=Asia/Kolkata 30 9 * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T04:00:00Z'],
  // A step greater than one restricts the day of the month: then either day may match.
  ['0 0 */31 * fri', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['@every 90m', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T01:30:00Z'],
  ['0 0 31 12 *', 'Europe/Berlin', '2026-01-01T00:00:00Z', '2026-12-30T23:00:00Z'],
  ['59 23 28 2 *', 'America/New_York', '2026-03-01T03:00:00Z', '2026-03-01T04:59:00Z'],
  ['0 0 1 11 *', 'America/New_York', '2026-02-27T23:30:00Z', '2026-11-01T04:00:00Z'],
  ['30 1 * * sun', 'Europe/London', '2026-03-27T23:15:00Z', '2026-04-05T00:30:00Z'],
] as const)
  test(`after ${after}, ${schedule} in ${zone} is due at ${next}`, () => {
    assert.equal(parseSchedule(schedule, zone).next(Date.parse(after)), Date.parse(next))
  })

test('a day that never comes is not looked for by the hour', (t) => {
  const looks = t.mock.method(Intl.DateTimeFormat.prototype, 'formatToParts')
  assert.equal(parseSchedule('0 0 31 2 *', 'Europe/Berlin').next(0), undefined)
  // Five years have 43,800 hours.
  assert.ok(looks.mock.callCount() < 2_000, `${looks.mock.callCount()}`)
})

for (const text of ['* * * *', '60 * * * *', '*/0 * * * *', 'x * * * *', '5-1 * * * *'])
  test(`${text} is no schedule`, () => assert.throws(() => parseSchedule(text), CronError))

const cron = (status: object, spec: object = {}): CronJob =>
  sketch({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'c', creationTimestamp: '2026-01-01T00:00:30Z' },
    spec: { schedule: '*/5 * * * *', ...spec },
    status,
  })
const at = (time: string) => Date.parse(`2026-01-01T${time}Z`)

test('the latest start that was missed is made, unless it is too late', () => {
  assert.deepEqual(planDue(cron({}), at('00:04:00')), { kind: 'wait', untilMs: at('00:05:00') })
  assert.deepEqual(planDue(cron({}), at('00:12:00')), { kind: 'due', atMs: at('00:10:00'), missedTooMany: false })
  assert.equal(planDue(cron({ lastScheduleTime: '2026-01-01T00:10:00Z' }), at('00:12:00')).kind, 'wait')
  assert.equal(planDue(cron({}, { startingDeadlineSeconds: 60 }), at('00:12:00')).kind, 'wait')
  assert.equal(planDue(cron({}, { schedule: 'never' }), at('00:12:00')).kind, 'unparseable')
})
