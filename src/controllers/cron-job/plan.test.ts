import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CronJob, Job } from '../../resources/types/batch.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planDue, planHistory, takeStock } from './plan.ts'
import { zonedTimestamp } from './schedule.ts'

const at = (time: string) => Date.parse(`2026-01-02T${time}Z`)
const cron = (schedule: string, more: object = {}, status: object = {}): CronJob =>
  sketch({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'c', creationTimestamp: '2026-01-02T00:00:30Z' },
    spec: { schedule, ...more },
    status,
  })
const job = (name: string, started: string, outcome?: 'Complete' | 'Failed'): Job =>
  sketch({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    status: { startTime: `2026-01-02T${started}Z`, conditions: outcome === undefined ? [] : [{ type: outcome, status: 'True' }] },
  })

function due(of: CronJob, now: string): string {
  const plan = planDue(of, at(now))
  const shown = (ms: number | undefined) => (ms === undefined ? 'never' : new Date(ms).toISOString().slice(11, 19))
  if (plan.kind === 'due') return `due ${shown(plan.atMs)}${plan.missedTooMany ? ', many missed' : ''}`
  return plan.kind === 'wait' ? `wait ${shown(plan.untilMs)}` : plan.kind
}

test('the latest start that was not made yet is due', () => {
  const hourly = '0 * * * *'
  for (const [what, of, now, expected] of [
    ['none yet', cron(hourly), '00:30:00', 'wait 01:00:00'],
    ['now', cron(hourly), '01:00:00', 'due 01:00:00'],
    ['a while ago', cron(hourly), '01:20:00', 'due 01:00:00'],
    ['several were missed', cron(hourly), '05:20:00', 'due 05:00:00'],
    ['it was made', cron(hourly, {}, { lastScheduleTime: '2026-01-02T05:00:00Z' }), '05:20:00', 'wait 06:00:00'],
    ['too late for the deadline', cron(hourly, { startingDeadlineSeconds: 60 }), '05:20:00', 'wait 06:00:00'],
    ['within the deadline', cron(hourly, { startingDeadlineSeconds: 1800 }), '05:20:00', 'due 05:00:00'],
    ['more than a hundred were missed', cron('* * * * *'), '03:00:10', 'due 03:00:00, many missed'],
    ['a schedule that nobody understands', cron('nonsense'), '03:00:00', 'unparseable'],
    ['a day that never comes', cron('0 0 31 2 *'), '03:00:00', 'invalid'],
    ['in another time zone', cron('30 12 * * *', { timeZone: 'Asia/Kolkata' }), '06:00:00', 'wait 07:00:00'],
  ] as const)
    assert.equal(due(of, now), expected, what)
})

test('a finished job is reported, unless it goes at once', () => {
  const reasons = (failedJobsHistoryLimit: number) => {
    const ended: Job = sketch({ ...job('a', '01:00:00', 'Failed'), metadata: { name: 'a', uid: 'u' } })
    const of = cron('0 * * * *', { failedJobsHistoryLimit }, { active: [{ name: 'a', uid: 'u' }] })
    return takeStock(of, [ended]).events.map((e) => e.reason)
  }
  assert.deepEqual([reasons(1), reasons(0)], [['SawCompletedJob'], []])
})

test('finished jobs beyond the limits go, the oldest first; what runs stays', () => {
  const jobs = [
    job('d', '04:00:00', 'Complete'),
    job('a', '01:00:00', 'Complete'),
    job('b', '02:00:00', 'Failed'),
    job('c', '03:00:00', 'Complete'),
    job('e', '05:00:00', 'Failed'),
    job('f', '00:00:00'),
  ]
  const names = (more: object) => planHistory(cron('* * * * *', more), jobs).map((j) => j.metadata.name)
  assert.deepEqual(names({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }), ['a', 'c', 'b'])
  assert.deepEqual(names({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }), ['a', 'c', 'd', 'b', 'e'])
  assert.deepEqual(names({}), [])
})

for (const [zone, expected] of [
  ['UTC', '2026-01-02T15:00:00Z'],
  ['Asia/Tokyo', '2026-01-03T00:00:00+09:00'],
  ['America/St_Johns', '2026-01-02T11:30:00-03:30'],
] as const)
  test(`the start time is computed in its time zone: ${JSON.stringify(zone)}`, () =>
    assert.equal(zonedTimestamp(at('15:00:00'), zone), expected))
