/** helm 4 with a chart that has every kind of hook, claims, and containers of unknown images: each step waits for completion. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { JOBS, PODS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { helmIn } from './helm-in.ts'

const chart = path.join(import.meta.dirname, 'chart-with-hooks')

test('hooks run in their order, and whatever waits for a chart ends', async (t) => {
  await using cluster = await startCluster({ nodes: 2 })
  const { run, helm } = await helmIn(cluster, t)
  const client = cluster.client()
  const here = { namespace: 'default' }
  const begun: string[] = []
  const leave = new AbortController()
  const follow = async () => {
    for await (const events of client.watch({ ...JOBS, ...here }, { signal: leave.signal }))
      begun.push(...events.filter(({ type }) => type === 'ADDED').map(({ object }) => object.metadata.name ?? ''))
  }
  const following = follow().catch(() => {})
  const sinceThen = () => begun.splice(0)
  const both = (...times: string[]) => times.flatMap((time) => [`${time}-first`, `${time}-second`])

  await helm(`install h ${chart} --wait --timeout=60s`)
  assert.deepEqual(sinceThen(), both('pre-install', 'post-install'))
  const pods = (await client.list({ ...PODS, ...here })).items
  assert.equal(pods.filter((p) => p.status?.containerStatuses?.[0]?.ready).length, 2 + 1 + 2)
  assert.deepEqual((await client.list({ ...JOBS, ...here })).items, [])

  await helm('test h --timeout=60s')
  assert.match((await helm('test h --timeout=60s --logs')).replaceAll('\n', ' '), /simulated: nothing runs in container app/)

  const failed = await run(`upgrade h ${chart} --wait --timeout=60s --set fails=true`)
  assert.equal(failed.code, 1)
  assert.match(failed.err, /pre-upgrade hooks failed: .*Job\/default\/pre-upgrade-second not ready/)
  assert.deepEqual(sinceThen(), both('pre-upgrade'))
  await helm(`upgrade h ${chart} --wait --timeout=60s`)
  assert.deepEqual(sinceThen(), both('pre-upgrade', 'post-upgrade'))
  await helm('rollback h 1 --wait --timeout=60s')
  assert.deepEqual(sinceThen(), both('pre-rollback', 'post-rollback'))

  await helm('uninstall h --wait --timeout=60s')
  assert.deepEqual(sinceThen(), both('pre-delete', 'post-delete'))
  // As in Kubernetes, the claim of the stateful set is kept, and so are hooks without a delete policy.
  const claims = (await client.list({ group: '', version: 'v1', resource: 'persistentvolumeclaims', ...here })).items
  assert.deepEqual(
    claims.map((c) => c.metadata.name),
    ['files-h-db-0'],
  )
  const left = (await client.list({ ...PODS, ...here })).items.filter((p) => p.metadata.deletionTimestamp === undefined)
  assert.deepEqual(left.map((p) => p.metadata.name).sort(), ['h-test', 'h-waits'])
  leave.abort()
  await following
})
