import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../base/exposition.ts'
import { SchedulerMetrics, type SchedulerState } from './scheduler-metrics.ts'

const STATE: SchedulerState = {
  pending: { active: 0, backoff: 3, unschedulable: 1, gated: 2 },
  cache: { assumed_pods: 1, nodes: 5, pods: 9 },
  turnedDown: [
    { profile: 'p', plugins: new Set(['NodeAffinity', 'NodeResourcesFit']) },
    { profile: 'p', plugins: new Set(['NodeAffinity']) },
  ],
}

const linesOf = (metrics: SchedulerMetrics) => exposition(metrics.families(STATE)).split('\n')

test('attempts are counted by profile and result, pods by queue and by the plugins that turned them down', () => {
  const metrics = new SchedulerMetrics()
  const one = { profile: 'default-scheduler', seconds: 0.003, sinceTriable: 1.5, flushed: false }
  metrics.attempted({ ...one, result: 'unschedulable', number: 1 })
  metrics.attempted({ ...one, result: 'scheduled', number: 2 })
  metrics.attempted({ ...one, result: 'scheduled', number: 16, flushed: true })
  const lines = linesOf(metrics)
  for (const line of [
    'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 2',
    'scheduler_scheduling_attempt_duration_seconds_bucket{profile="default-scheduler",result="scheduled",le="0.004"} 2',
    'scheduler_pod_scheduling_attempts_bucket{le="1"} 0',
    'scheduler_pod_scheduling_attempts_bucket{le="2"} 1',
    'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="2"} 1',
    'scheduler_pod_scheduling_sli_duration_seconds_sum{attempts="16+"} 1.5',
    'scheduler_pod_scheduled_after_flush_total 1',
    'scheduler_pending_pods{queue="backoff"} 3',
    'scheduler_pending_pods{queue="gated"} 2',
    'scheduler_cache_size{type="assumed_pods"} 1',
    'scheduler_unschedulable_pods{plugin="NodeAffinity",profile="p"} 2',
    'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="p"} 1',
  ])
    assert.ok(lines.includes(line), line)
})

test('extension points, queues and preemptions are counted', () => {
  const metrics = new SchedulerMetrics()
  metrics.ran('Bind', 'default-scheduler', 'Error', 0.0003)
  metrics.entered('backoff', 'ScheduleAttemptFailure')
  metrics.preempted(3)
  metrics.preempted(undefined)
  const lines = linesOf(metrics)
  for (const line of [
    'scheduler_framework_extension_point_duration_seconds_bucket{extension_point="Bind",profile="default-scheduler",status="Error",le="0.0004"} 1',
    'scheduler_queue_incoming_pods_total{event="ScheduleAttemptFailure",queue="backoff"} 1',
    'scheduler_preemption_attempts_total 2',
    'scheduler_preemption_victims_bucket{le="2"} 0',
    'scheduler_preemption_victims_bucket{le="4"} 1',
  ])
    assert.ok(lines.includes(line), line)
})
