import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { Family } from '../../base/exposition.ts'
import { partMetrics } from './part-metrics.ts'
import { noReports, type ReportingControllers, type ReportingScheduler } from './part-reports.ts'

const family = (name: string): Family => ({ name, type: 'gauge', help: '', samples: [] })
const controllers = (metrics: ReportingControllers['metrics']): ReportingControllers => ({ controllers: async () => [], metrics })
const scheduler = (metrics: ReportingScheduler['metrics']): ReportingScheduler => ({
  report: async () => undefined,
  queue: async () => [],
  metrics,
})

test('the metrics of the parts that run are joined', async () => {
  const reports = noReports()
  const metrics = partMetrics(reports, new VirtualClock(0))
  assert.deepEqual(await metrics(), [])
  reports.controllers = controllers(async () => [family('workqueue_depth')])
  reports.scheduler = scheduler(async () => [family('scheduler_pending_pods')])
  assert.deepEqual(
    (await metrics()).map(({ name }) => name),
    ['workqueue_depth', 'scheduler_pending_pods'],
  )
})

test('series of both parts with one name are one family', async () => {
  const reports = noReports()
  const calls = (component: string): Family => ({ ...family('rest_client_requests_total'), samples: [[`component="${component}"`, 1]] })
  reports.controllers = controllers(async () => [calls('a')])
  reports.scheduler = scheduler(async () => [calls('b')])
  const found = await partMetrics(reports, new VirtualClock(0))()
  assert.deepEqual(
    found.map(({ samples }) => samples),
    [
      [
        ['component="a"', 1],
        ['component="b"', 1],
      ],
    ],
  )
})

test('a part that fails or does not answer is left out', async () => {
  const clock = new VirtualClock(0)
  const reports = noReports()
  reports.controllers = controllers(async () => {
    throw new Error('gone')
  })
  reports.scheduler = scheduler(() => new Promise(() => {}))
  const found = partMetrics(reports, clock)()
  await clock.advance(1000)
  assert.deepEqual(await found, [])
})
