import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../base/exposition.ts'
import { SchedulerMetrics } from './scheduler-metrics.ts'

test('attempts are counted by profile and result, pods by queue', () => {
  const metrics = new SchedulerMetrics()
  const one = { profile: 'default-scheduler', seconds: 0.003 }
  metrics.attempted({ ...one, result: 'unschedulable', number: 1 })
  metrics.attempted({ ...one, result: 'scheduled', number: 2 })
  const lines = exposition(metrics.families({ active: 0, backoff: 3, unschedulable: 1 })).split('\n')
  for (const line of [
    'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
    'scheduler_scheduling_attempt_duration_seconds_bucket{profile="default-scheduler",result="scheduled",le="0.004"} 1',
    'scheduler_pod_scheduling_attempts_bucket{le="1"} 0',
    'scheduler_pod_scheduling_attempts_bucket{le="2"} 1',
    'scheduler_pending_pods{queue="backoff"} 3',
  ])
    assert.ok(lines.includes(line), line)
})
