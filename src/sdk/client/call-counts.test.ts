import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import { notFound } from '../../machinery/status-error.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { CallCounts } from './call-counts.ts'
import { countingClient } from './counting-client.ts'

const PODS = { group: '', version: 'v1', resource: 'pods', namespace: 'default' }

test('metrics: calls of a client are counted by method and code, under client-go’s names', async () => {
  const counts = new CallCounts({ component: 'tests' })
  await using cluster = await startCluster({ parts: ['server'] })
  const client = countingClient(cluster.client(), counts.count, new VirtualClock(0))
  await client.list(PODS)
  await client.list(PODS)
  await assert.rejects(client.get({ ...PODS, name: 'none' }), notFound(PODS, 'none'))
  const lines = exposition(counts.families()).split('\n')
  const own = 'component="tests",host="in-process"'
  for (const line of [
    `rest_client_requests_total{code="200",component="tests",host="in-process",method="GET"} 2`,
    `rest_client_requests_total{code="404",component="tests",host="in-process",method="GET"} 1`,
    `rest_client_request_duration_seconds_count{${own},verb="GET"} 3`,
  ])
    assert.ok(lines.includes(line), `${line} in ${lines.join('\n')}`)
})
