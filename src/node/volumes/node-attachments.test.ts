import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import * as refs from '../../resources/refs.ts'
import type { CSIDriverSpec } from '../../resources/types/storage.ts'
import type { TargetOf } from '../../sdk/client/client.ts'
import { pod } from '../../testing/builders.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { waitFor } from '../../testing/wait-for.ts'

const UNIQUE = 'kubernetes.io/csi/csi.example.com^handle'

/** Two nodes, and a claim that is bound to a volume of a driver. */
async function open(driver?: CSIDriverSpec) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const cluster = await startCluster({ nodes: 2 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const at = <T extends KubeObject>(ref: ResourceRef<T>, name = ''): TargetOf<T> => ({ ...ref, namespace: 'default', name })
  if (driver !== undefined)
    await client.create(refs.CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'csi.example.com' },
      spec: driver,
    })
  const shared = { accessModes: ['ReadWriteOnce'] as const, storageClassName: '' }
  const volume = { ...shared, capacity: { storage: '1Gi' }, csi: { driver: 'csi.example.com', volumeHandle: 'handle' } }
  await client.create(refs.PERSISTENT_VOLUMES, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' }, spec: volume })
  const claim = { ...shared, resources: { requests: { storage: '1Gi' } } }
  await client.create(at(refs.PERSISTENT_VOLUME_CLAIMS), {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: claim,
  })
  await clock.advance(5_000)
  const run = (name: string, nodeName: string) =>
    client.create(
      at(refs.PODS),
      pod(name, {
        spec: {
          nodeName,
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'c', image: 'app', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
        },
      }),
    )
  const statusOf = async (name: string) => (await client.get(at(refs.PODS, name))).status ?? {}
  const node = async (name: string) => (await client.get({ ...refs.NODES, name })).status ?? {}
  const said = async (name: string, reason: string) =>
    (await client.list(at(refs.CORE_EVENTS), { fieldSelector: `involvedObject.name=${name},reason=${reason}` })).items.map((e) => e.message)
  const attachments = async () => (await client.list(refs.VOLUME_ATTACHMENTS)).items
  /** As a CSI driver's attacher does. */
  const attach = async () => {
    for (const { metadata } of await attachments())
      await client.patch({ ...refs.VOLUME_ATTACHMENTS, name: metadata.name ?? '', subresource: 'status' }, 'merge', {
        status: { attached: true },
      })
  }
  return {
    clock,
    client,
    at,
    run,
    pod: statusOf,
    node,
    said,
    attachments,
    attach,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

test('a pod waits until its volume is attached, and the node reports it in use until the pod is gone', async () => {
  await using on = await open({ attachRequired: true })
  const { clock, client, at } = on
  await on.run('p', 'node-1')
  await clock.advance(60_000)
  assert.deepEqual((await on.node('node-1')).volumesInUse, [UNIQUE])
  assert.deepEqual([(await on.pod('p')).phase, await on.said('p', 'FailedMount')], ['Pending', []])
  await clock.advance(90_000)
  const late =
    'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[v], failed to process volumes=[]: context deadline exceeded'
  assert.deepEqual(await on.said('p', 'FailedMount'), [late])
  await on.attach()
  await waitFor(async () => (await on.pod('p')).phase === 'Running', { clock })
  assert.deepEqual((await on.node('node-1')).volumesAttached, [{ name: UNIQUE, devicePath: '' }])

  await on.run('q', 'node-2')
  await clock.advance(10_000)
  assert.deepEqual(await on.said('q', 'FailedAttachVolume'), ['Multi-Attach error for volume "pv" Volume is already used by pod(s) p'])
  await client.delete(at(refs.PODS, 'p'))
  await clock.advance(20_000)
  assert.equal((await on.node('node-1')).volumesInUse, undefined)
  assert.deepEqual(
    (await on.attachments()).map((a) => a.spec?.nodeName),
    ['node-2'],
  )
  await on.attach()
  await waitFor(async () => (await on.pod('q')).phase === 'Running', { clock })
})

for (const [driver, inUse] of [
  [{ attachRequired: false }, undefined],
  [undefined, [UNIQUE]],
] as const)
  test(`a pod does not wait for attachment: ${driver === undefined ? 'the driver is not installed' : 'the driver attaches nothing'}`, async () => {
    await using on = await open(driver)
    await on.run('p', 'node-1')
    await on.clock.advance(5_000)
    assert.equal((await on.pod('p')).phase, 'Running')
    assert.deepEqual((await on.node('node-1')).volumesInUse, inUse)
  })
