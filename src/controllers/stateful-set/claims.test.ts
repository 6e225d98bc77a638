import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../resources/refs.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { faultyTransport } from '../../testing/faulty-transport.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { createControllers } from '../all/controller-set.ts'
import { sketch } from '../frame/sketch.double.ts'

const labels = { app: 'a' }
const storage = { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } }
const spec = {
  replicas: 3,
  podManagementPolicy: 'Parallel',
  persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: storage }],
}

test('the claim of a pod is created with its owner', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const transport = faultyTransport(cluster.transport(), { clock })
  const deps = { client: createClient(transport), clock, random: seededRandom(2), log: silentLogger }
  const stop = new AbortController()
  const running = createControllers({ ca: '' }, deps).run(stop.signal)
  await clock.advance(5_000)
  const namespace = 'default'
  await client.create(
    { ...STATEFUL_SETS, namespace },
    sketch({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 's' }, spec }),
  )
  await clock.advance(5_000)
  const pods = (await client.list({ ...PODS, namespace })).items
  assert.deepEqual(
    pods.map((p) => p.status?.phase),
    ['Pending', 'Pending', 'Pending'],
  )
  const claims = (await client.list({ ...PERSISTENT_VOLUME_CLAIMS, namespace })).items
  assert.deepEqual(
    claims.map((c) => c.metadata.ownerReferences?.map((r) => r.kind)),
    [['StatefulSet'], ['StatefulSet'], ['StatefulSet']],
  )
  const written = transport.calls.filter((c) => c.verb === 'update' && c.target.resource === 'persistentvolumeclaims')
  assert.deepEqual(written, [])
  stop.abort()
  await clock.advance(60_000)
  await running
})
