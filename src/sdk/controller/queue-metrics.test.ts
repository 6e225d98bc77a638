import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import { QueueMetrics, workQueueFamilies } from './queue-metrics.ts'
import { WorkQueue } from './work-queue.ts'

test('keys of a queue are counted from when they are put in until they are done', async () => {
  const clock = new VirtualClock(0)
  const queue = new WorkQueue({ clock })
  const metrics = new QueueMetrics(clock)
  queue.add('early')
  queue.observe(metrics)
  queue.add('a')
  await queue.take()
  metrics.begin('early')
  await clock.advance(2000)
  const scraped = () => exposition(workQueueFamilies([{ name: 'maps', metrics }])).split('\n')
  for (const [name, value] of [
    ['depth', 1],
    ['adds_total', 1],
    ['unfinished_work_seconds', 2],
    ['longest_running_processor_seconds', 2],
  ])
    assert.ok(scraped().includes(`workqueue_${name}{name="maps"} ${value}`), `${name}`)
  queue.addRateLimited('early')
  queue.done('early')
  metrics.end('early')
  assert.ok(scraped().includes('workqueue_retries_total{name="maps"} 1'))
  assert.ok(scraped().includes('workqueue_work_duration_seconds_sum{name="maps"} 2'))
  assert.ok(scraped().includes('workqueue_longest_running_processor_seconds{name="maps"} 0'))
})
