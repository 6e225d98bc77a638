/** The limit of objects per collection: a workload that grows without end gets a condition with the reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEPLOYMENTS, PODS } from '../../src/resources/refs.ts'
import type { Deployment } from '../../src/resources/types/apps.ts'
import { startCluster, waitFor } from '../../src/testing/testing.ts'

const endless: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'endless' },
  spec: {
    replicas: 2_147_483_647,
    selector: { matchLabels: { app: 'endless' } },
    template: { metadata: { labels: { app: 'endless' } }, spec: { containers: [{ name: 'c', image: 'example/c' }] } },
  },
}

test('a Deployment of 2,147,483,647 pods gets as many as the server allows, and a condition with the reason', async () => {
  await using cluster = await startCluster({ nodes: 1, objectLimits: { pods: 20 } })
  const client = cluster.client()
  const target = { ...DEPLOYMENTS, namespace: 'default', name: 'endless' }
  await client.create({ ...DEPLOYMENTS, namespace: 'default' }, endless)
  const failure = await waitFor(async () => (await client.get(target)).status?.conditions?.find((c) => c.type === 'ReplicaFailure'))
  assert.equal(failure.reason, 'FailedCreate')
  assert.match(failure.message ?? '', /is forbidden: exceeded quota: object limits of the server, requested: count\/pods=1, used: /)
  // The controller creates pods in batches: pending creates are not counted yet.
  const pods = (await client.list(PODS)).items.length
  assert.ok(pods >= 20 && pods < 50, `${pods} pods`)
})
