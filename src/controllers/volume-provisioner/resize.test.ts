import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import * as refs from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planResize } from '../volumes/plan-resize.ts'
import { DRIVER } from './default-class.ts'

const claims = { ...refs.PERSISTENT_VOLUME_CLAIMS, namespace: 'default' }
const pods = { ...refs.PODS, namespace: 'default' }

async function open() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const until = <T>(look: () => Promise<T | false | undefined>) => waitFor(look, { clock })
  await until(() => client.get({ ...refs.STORAGE_CLASSES, name: 'standard' }).catch(() => undefined))
  await until(() => client.get({ ...refs.SERVICE_ACCOUNTS, namespace: 'default', name: 'default' }).catch(() => undefined))
  return { clock, client, until, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const claim = (name: string, more: JsonObject = {}): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  })
const user = (name: string, claimName: string, mount: JsonObject = { volumeMounts: [{ name: 'v', mountPath: '/v' }] }): KubeObject =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'app', ...mount }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
  })
const grow = (client: Client, name: string, storage: string) =>
  client.patch({ ...claims, name }, 'merge', { spec: { resources: { requests: { storage } } } })
const said = async (client: Client, name: string) =>
  (await client.list({ ...refs.CORE_EVENTS, namespace: 'default' }, { fieldSelector: `involvedObject.name=${name}` })).items.map(
    (e) => `${e.source?.component}: ${e.reason}: ${e.message}`,
  )
const standing = async (client: Client, name: string) => {
  const { status } = await client.get({ ...claims, name })
  const conditions = (status?.conditions ?? []).map((c) => `${c.type}=${c.status}`)
  const { capacity, allocatedResources, allocatedResourceStatuses } = status ?? {}
  return [capacity?.storage, allocatedResources?.storage, allocatedResourceStatuses?.storage, ...conditions].map(String).join(' ')
}

test('a claim in use grows under its pod', async () => {
  await using it = await open()
  const { client, until } = it
  await client.create(claims, claim('c'))
  await client.create(pods, user('p', 'c'))
  await until(async () => (await client.get({ ...pods, name: 'p' })).status?.phase === 'Running')
  await grow(client, 'c', '3Gi')
  await until(async () => (await standing(client, 'c')) === '3Gi 3Gi undefined')
  const { spec } = await client.get({ ...claims, name: 'c' })
  const volume = String(spec?.volumeName)
  await until(async () => {
    const { metadata, spec: made } = await client.get({ ...refs.PERSISTENT_VOLUMES, name: volume })
    return made?.capacity?.storage === '3Gi' && metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'] === undefined
  })
  const resizer = 'external-resizer simulated.bowsprit.dev'
  const expanded = `kubelet: FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "${volume}" node-1`
  for (const event of [
    'volume_expand: ExternalExpanding: waiting for an external controller to expand this PVC',
    `${resizer}: Resizing: External resizer is resizing volume ${volume}`,
    `${resizer}: FileSystemResizeRequired: Require file system resize of volume on node`,
    expanded,
  ])
    await until(async () => (await said(client, 'c')).includes(event))
  await until(async () => (await said(client, 'p')).includes(expanded))
})

test('a claim that no pod has mounted waits for a pod', async () => {
  await using it = await open()
  const { client, until, clock } = it
  await client.create(claims, claim('c'))
  await client.create(pods, user('p', 'c'))
  await until(async () => (await client.get({ ...pods, name: 'p' })).status?.phase === 'Running')
  await client.delete({ ...pods, name: 'p' }, { gracePeriodSeconds: 0 })
  await grow(client, 'c', '2Gi')
  const pending = '1Gi 2Gi NodeResizePending Resizing=True FileSystemResizePending=True'
  await until(async () => (await standing(client, 'c')) === pending)
  await clock.advance(60_000)
  assert.equal(await standing(client, 'c'), pending)
  const { spec } = await client.get({ ...claims, name: 'c' })
  const volume = await client.get({ ...refs.PERSISTENT_VOLUMES, name: String(spec?.volumeName) })
  assert.equal(volume.spec?.capacity?.storage, '2Gi')
  assert.equal(volume.metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'], '1Gi')
  await client.create(pods, user('q', 'c'))
  await until(async () => (await standing(client, 'c')) === '2Gi 2Gi undefined')
})

test('a block volume has no file system: no node has to do anything', async () => {
  await using it = await open()
  const { client, until } = it
  const spec = { provisioner: 'bowsprit.dev/simulated', volumeBindingMode: 'Immediate', allowVolumeExpansion: true }
  await client.create(
    refs.STORAGE_CLASSES,
    sketch({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'now' }, ...spec }),
  )
  await client.create(claims, claim('c', { volumeMode: 'Block', storageClassName: 'now' }))
  await until(async () => (await client.get({ ...claims, name: 'c' })).status?.phase === 'Bound')
  await grow(client, 'c', '2Gi')
  await until(async () => (await standing(client, 'c')) === '2Gi 2Gi undefined')
  const { metadata } = await client.get({ ...claims, name: 'c' })
  assert.equal(metadata.annotations?.['volume.kubernetes.io/node-expansion-not-required'], 'true')
  await until(async () =>
    (await said(client, 'c')).includes('external-resizer simulated.bowsprit.dev: VolumeResizeSuccessful: Resize volume succeeded'),
  )
})

test('what may not grow, or shrink, is refused', async () => {
  await using it = await open()
  const { client, until } = it
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => 'taken',
      (error) => (isStatus(error) ? error.message : Promise.reject(error)),
    )
  await client.create(claims, claim('c'))
  assert.match(await refused(grow(client, 'c', '2Gi')), /Only bound persistent volume claims can be expanded|bound claim/)
  await client.create(pods, user('p', 'c'))
  await until(async () => (await client.get({ ...claims, name: 'c' })).status?.phase === 'Bound')
  assert.match(
    await refused(grow(client, 'c', '512Mi')),
    /spec.resources.requests.storage: Forbidden: field can not be less than status.capacity/,
  )
  await client.patch({ ...refs.STORAGE_CLASSES, name: 'standard' }, 'merge', { allowVolumeExpansion: false })
  assert.match(
    await refused(grow(client, 'c', '2Gi')),
    /only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize/,
  )
})

test('what is under way comes to its end before more is begun, and no volume becomes smaller', () => {
  const volume = (storage: string): PersistentVolume =>
    sketch({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { capacity: { storage }, csi: { driver: 'simulated.bowsprit.dev' }, claimRef: { uid: 'u' } },
    })
  const wants = (storage: string, status: JsonObject): PersistentVolumeClaim =>
    sketch({
      ...claim('c', { resources: { requests: { storage } } }),
      metadata: { name: 'c', uid: 'u' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, ...status },
    })
  const size = (of: PersistentVolumeClaim, on: PersistentVolume, nowMs: number) => {
    const plan = planResize(of, on, nowMs, DRIVER)
    return plan.kind === 'resize' ? plan.size : plan.kind
  }
  const stage = (allocated: string, storage: string) => ({
    allocatedResources: { storage: allocated },
    allocatedResourceStatuses: { storage },
  })
  assert.equal(size(wants('5Gi', stage('3Gi', 'NodeResizePending')), volume('3Gi'), 0), 'keep')
  assert.equal(size(wants('5Gi', stage('3Gi', 'ControllerResizeInProgress')), volume('1Gi'), 0), '3Gi')
  assert.equal(size(wants('5Gi', {}), volume('1Gi'), 0), '5Gi')
  assert.equal(size(wants('5Gi', {}), volume('8Gi'), 0), '8Gi')
  assert.equal(size(wants('1024Mi', {}), volume('1Gi'), 0), 'keep')
})
