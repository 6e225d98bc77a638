import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import * as refs from '../../resources/refs.ts'
import type { PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { sketch } from '../frame/sketch.double.ts'

const claims = { ...refs.PERSISTENT_VOLUME_CLAIMS, namespace: 'default' }
const pods = { ...refs.PODS, namespace: 'default' }

async function open(options: { readonly storageClass?: boolean } = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const cluster = await startCluster({ nodes: 2, ...options }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const until = <T>(look: () => Promise<T | false | undefined>) => waitFor(look, { clock })
  return { clock, client, until, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const claim = (name: string, more: JsonObject = {}): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  })
const user = (name: string, claimName: string): KubeObject =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      containers: [{ name: 'main', image: 'app', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
    },
  })
const phaseOf = async (
  client: Client,
  ref: ResourceRef<KubeObject<unknown, { readonly phase?: string }>>,
  name: string,
): Promise<string | undefined> =>
  client.get({ ...ref, name }).then(
    (o) => o.status?.phase,
    (error) => {
      if (isStatus(error, 'NotFound')) return 'gone'
      throw error
    },
  )
const said = async (client: Client, name: string) =>
  (await client.list({ ...refs.CORE_EVENTS, namespace: 'default' }, { fieldSelector: `involvedObject.name=${name}` })).items.map(
    (e) => `${e.reason}: ${e.message}`,
  )

test('a claim waits for a pod, gets a volume for the node, and both go with it', async () => {
  await using it = await open()
  const { client, until, clock } = it
  await until(() => client.get({ ...refs.STORAGE_CLASSES, name: 'standard' }).catch(() => undefined))
  const made = await client.create(claims, claim('c'))
  assert.equal(made.spec?.storageClassName, 'standard')
  await clock.advance(30_000)
  assert.equal(await phaseOf(client, claims, 'c'), 'Pending')
  await until(() => client.create(pods, user('p', 'c')))
  await until(async () => (await phaseOf(client, pods, 'p')) === 'Running')
  const bound = await client.get({ ...claims, name: 'c' })
  const volume = `pvc-${made.metadata.uid}`
  assert.deepEqual([bound.status?.phase, bound.status?.capacity, bound.spec?.volumeName], ['Bound', { storage: '1Gi' }, volume])
  assert.match(bound.metadata.annotations?.['volume.kubernetes.io/selected-node'] ?? '', /^node-[12]$/)
  for (const event of [
    'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'bowsprit.dev/simulated'",
    'Provisioning: External provisioner is provisioning volume for claim "default/c"',
    `ProvisioningSucceeded: Successfully provisioned volume ${volume}`,
  ])
    await until(async () => (await said(client, 'c')).some((e) => e.startsWith(event)))
  const standing = await client.get({ ...refs.PERSISTENT_VOLUMES, name: volume })
  assert.deepEqual(standing.metadata.finalizers?.toSorted(), [
    'external-provisioner.volume.kubernetes.io/finalizer',
    'kubernetes.io/pv-protection',
  ])
  await client.delete({ ...claims, name: 'c' })
  await clock.advance(10_000)
  assert.equal(await phaseOf(client, claims, 'c'), 'Bound')
  await client.delete({ ...pods, name: 'p' }, { gracePeriodSeconds: 0 })
  await until(async () => (await phaseOf(client, refs.PERSISTENT_VOLUMES, volume)) === 'gone')
  assert.equal(await phaseOf(client, claims, 'c'), 'gone')
})

test('what is to be retained stays when its claim has gone', async () => {
  await using it = await open()
  const { client, until } = it
  const spec = { provisioner: 'bowsprit.dev/simulated', reclaimPolicy: 'Retain', volumeBindingMode: 'Immediate' }
  await client.create(
    refs.STORAGE_CLASSES,
    sketch({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'kept' }, ...spec }),
  )
  const made = await client.create(claims, claim('c', { storageClassName: 'kept' }))
  await until(async () => (await phaseOf(client, claims, 'c')) === 'Bound')
  await client.delete({ ...claims, name: 'c' })
  const volume = `pvc-${made.metadata.uid}`
  await until(async () => (await phaseOf(client, refs.PERSISTENT_VOLUMES, volume)) === 'Released')
  await client.delete({ ...refs.PERSISTENT_VOLUMES, name: volume })
  await until(async () => (await phaseOf(client, refs.PERSISTENT_VOLUMES, volume)) === 'gone')
})

test('a claim that cannot be provisioned gets an event, and its volume later', async () => {
  await using it = await open()
  const { client, until } = it
  const wanted = { provisioner: 'bowsprit.dev/simulated', volumeBindingMode: 'Immediate', parameters: { kind: 'fast' } }
  const name = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' } }
  await client.create(refs.STORAGE_CLASSES, sketch({ ...name, ...wanted }))
  await client.create(claims, claim('c', { storageClassName: 'fast' }))
  const why = 'StorageClass parameter "kind" is not known; there are topologyKey and csi.storage.k8s.io/fstype'
  const reported = `ProvisioningFailed: failed to provision volume with StorageClass "fast": ${why}`
  await until(async () => (await said(client, 'c')).includes(reported))
  await client.delete({ ...refs.STORAGE_CLASSES, name: 'fast' })
  await client.create(refs.STORAGE_CLASSES, sketch({ ...name, ...wanted, parameters: {} }))
  await until(async () => (await phaseOf(client, claims, 'c')) === 'Bound')
})

test('the class is not created where it is disabled, or where no node could mount its volumes', async () => {
  const none = async (options: Parameters<typeof startCluster>[0]) => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1))
    await using cluster = await startCluster(options, { clock, random: seededRandom(1) })
    await clock.advance(5_000)
    assert.deepEqual((await cluster.client().list(refs.STORAGE_CLASSES)).items, [])
  }
  await none({ storageClass: false })
  await none({ parts: ['server'] })
  await none({ parts: ['server', 'controllers', 'scheduler'] })
  await none({ nodes: 0 })
})
