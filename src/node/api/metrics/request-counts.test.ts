import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../../base/exposition.ts'
import { createRequestCounts } from './request-counts.ts'

test('requests are counted while they run and when they have ended', () => {
  let now = 0
  const counts = createRequestCounts({ monotonic: () => now })
  counts.begin({ method: 'GET', url: '/metrics/cadvisor?a=b' })
  const ended = counts.begin({ method: 'GET', url: '/pods' })
  now = 30
  ended()
  const labels = (path: string) => `long_running="false",method="GET",path="${path}",server_type="readwrite"`
  const lines = exposition(counts.families()).split('\n')
  for (const line of [
    `kubelet_http_requests_total{${labels('pods')}} 1`,
    `kubelet_http_inflight_requests{${labels('pods')}} 0`,
    `kubelet_http_inflight_requests{${labels('metrics/cadvisor')}} 1`,
    `kubelet_http_requests_duration_seconds_count{${labels('pods')}} 1`,
  ])
    assert.ok(lines.includes(line), line)
})
