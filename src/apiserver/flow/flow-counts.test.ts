import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import { FlowCounts } from './flow-counts.ts'

const lines = (counts: FlowCounts, name: string) =>
  exposition(counts.families())
    .split('\n')
    .filter((line) => line.startsWith(name))

test('requests are counted by priority level and flow schema, with what they waited and held', () => {
  const counts = new FlowCounts()
  counts.dispatched('workload-low', 'service-accounts', 0.3)(2)
  counts.dispatched('exempt', 'exempt', 0)
  counts.rejected('workload-low', 'service-accounts', 'time-out', 15)
  const own = 'flow_schema="service-accounts",priority_level="workload-low"'
  const prefix = 'apiserver_flowcontrol'
  assert.deepEqual(lines(counts, `${prefix}_dispatched_requests_total{`), [
    `${prefix}_dispatched_requests_total{${own}} 1`,
    `${prefix}_dispatched_requests_total{flow_schema="exempt",priority_level="exempt"} 1`,
  ])
  assert.deepEqual(lines(counts, `${prefix}_rejected_requests_total{`), [`${prefix}_rejected_requests_total{${own},reason="time-out"} 1`])
  assert.deepEqual(lines(counts, `${prefix}_request_wait_duration_seconds_sum{execute="false"`), [
    `${prefix}_request_wait_duration_seconds_sum{execute="false",${own}} 15`,
  ])
  assert.deepEqual(lines(counts, `${prefix}_request_execution_seconds_sum{flow_schema="service-accounts"`), [
    `${prefix}_request_execution_seconds_sum{${own},type="regular"} 2`,
  ])
})

test('requests are counted while they run and while they wait', () => {
  const counts = new FlowCounts()
  const values = () =>
    [
      'current_executing_requests',
      'current_executing_seats',
      'request_concurrency_in_use',
      'current_inqueue_requests',
      'current_inqueue_seats',
    ]
      .flatMap((name) => lines(counts, `apiserver_flowcontrol_${name}{`))
      .map((line) => line.replace(/.*\{flow_schema="s",priority_level="l"\} /, ''))
      .join()
  const done = counts.dispatched('l', 's', 0)
  const queued = counts.queued('l', 's')
  assert.equal(values(), '1,1,1,1,1')
  queued()
  assert.equal(values(), '1,1,1,0,0')
  done(1)
  assert.equal(values(), '0,0,0,0,0')
})

test('a priority level that is gone has no counts', () => {
  const counts = new FlowCounts()
  counts.dispatched('gone', 'x', 0)
  counts.retain(new Set(['exempt']))
  assert.deepEqual(lines(counts, 'apiserver'), [])
})
