/** `bowsprit csi` makes no volume for a claim that is to be filled from something. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { createCsiControllers } from '../../src/controllers/all/controller-set.ts'
import type { DriverClient } from '../../src/controllers/csi/driver-client.ts'
import { CORE_EVENTS, PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../src/resources/refs.ts'
import { CONTROLLER_CAPABILITY, type CreateVolumeRequest } from '../../src/sdk/csi/controller-service.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const DRIVER = 'disks.example.com'
const place = { namespace: 'default' }
const claims = { ...PERSISTENT_VOLUME_CLAIMS, ...place }

test('a claim with a snapshot as its source gets an event, and no empty volume', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  const made: string[] = []
  const driver: DriverClient = {
    name: DRIVER,
    can: new Set([CONTROLLER_CAPABILITY.createDeleteVolume]),
    topology: false,
    identity: 'test',
    async call(_, request) {
      const { name } = request as CreateVolumeRequest
      made.push(name)
      return {
        volume: { volumeId: name, capacityBytes: 1 << 20, volumeContext: new Map(), contentSource: undefined, accessibleTopology: [] },
      } as never
    },
  }
  const stop = new AbortController()
  const deps = { client, clock: systemClock, random: systemRandom(), log: silentLogger }
  const running = createCsiControllers(driver, deps).run(stop.signal)
  const metadata = { name: 'disks' }
  await client.create(STORAGE_CLASSES, { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner: DRIVER })
  const spec = { storageClassName: 'disks', accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Mi' } } }
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' }
  await client.create(claims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'restored' },
    spec: { ...spec, dataSource },
  })
  const refused = /filled from VolumeSnapshot "before"/
  await waitFor(async () => (await client.list({ ...CORE_EVENTS, ...place })).items.some((e) => refused.test(e.message ?? '')), {
    timeoutMs: 20_000,
  })
  await client.create(claims, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'plain' }, spec })
  await waitFor(async () => (await client.get({ ...claims, name: 'plain' })).status?.phase === 'Bound', { timeoutMs: 20_000 })
  assert.equal(made.length, 1)
  assert.equal((await client.get({ ...claims, name: 'restored' })).status?.phase, 'Pending')
  stop.abort()
  await running
})
