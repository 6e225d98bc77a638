import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import * as refs from '../../src/resources/refs.ts'
import type { ConfigMap, Endpoints } from '../../src/resources/types/core.ts'
import type { EndpointSlice } from '../../src/resources/types/discovery.ts'
import type { ResourceRef, Target } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

/** A server and its controllers in virtual time; there are no nodes. */
async function controllers() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const cluster = await startCluster({ parts: ['server', 'controllers'] }, { clock, random: seededRandom(1) })
  await clock.advance(5_000)
  const client = cluster.client()
  const said = async (name: string) =>
    (await client.list(at(refs.CORE_EVENTS), { fieldSelector: `involvedObject.name=${name}` })).items.map(
      (e) => `${e.reason}: ${e.message}`,
    )
  return { clock, client, said, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const at = <T extends KubeObject>(ref: ResourceRef<T>, name?: string): Target<T> => ({
  ...ref,
  namespace: 'default',
  ...(name === undefined ? {} : { name }),
})
const object = <T extends KubeObject>(apiVersion: string, kind: string, name: string, spec: object, metadata: object = {}) =>
  ({ apiVersion, kind, metadata: { name, ...metadata }, spec }) as KubeObject as T
const storage = (size: string) => ({ accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: size } } })
const claim = (name: string, size: string, metadata: JsonObject = {}) =>
  object('v1', 'PersistentVolumeClaim', name, storage(size), metadata)
const labels = { app: 'a' }
const set = (more: JsonObject = {}) =>
  object('apps/v1', 'StatefulSet', 's', {
    serviceName: 's',
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: storage('1Gi') }],
    ...more,
  })

test('the claim of a pod that has not begun is made again when it vanishes', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.STATEFUL_SETS), set())
  await clock.advance(2_000)
  const first = await client.get(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-0'))
  await client.delete(at(refs.PODS, 's-0'), { gracePeriodSeconds: 0 })
  await client.delete(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-0'))
  await client.patch(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-0'), 'merge', { metadata: { finalizers: null } }).catch(() => {})
  await clock.advance(5_000)
  await client.patch(at(refs.STATEFUL_SETS, 's'), 'merge', { metadata: { labels: { touched: 'yes' } } })
  await clock.advance(5_000)
  const again = await client.get(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-0'))
  assert.notEqual(again.metadata.uid, first.metadata.uid)
})

test('a claim that is on its way out holds its pod back', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  await client.create(at(refs.PERSISTENT_VOLUME_CLAIMS), claim('d-s-0', '1Gi', { finalizers: ['example.com/wait'] }))
  await client.delete(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-0'))
  await client.create(at(refs.STATEFUL_SETS), set({ replicas: 1 }))
  await clock.advance(5_000)
  assert.deepEqual((await client.list(at(refs.PODS))).items, [])
  assert.ok((await said('s')).includes('FailedCreate: Create Pod s-0 in StatefulSet s failed error: pvc d-s-0 is being deleted'))
})

test('claims follow the retention policy of their set, with events', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  await client.create(at(refs.STATEFUL_SETS), set({ replicas: 1 }))
  await clock.advance(2_000)
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }]
  await client.patch({ ...at(refs.PODS, 's-0'), subresource: 'status' }, 'merge', { status: { phase: 'Running', conditions } })
  await clock.advance(2_000)
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Retain' }
  await client.patch(at(refs.STATEFUL_SETS, 's'), 'merge', { spec: { persistentVolumeClaimRetentionPolicy } })
  await clock.advance(2_000)
  const { metadata } = await client.get(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-0'))
  assert.deepEqual(
    metadata.ownerReferences?.map((r) => r.kind),
    ['StatefulSet'],
  )
  assert.ok((await said('s')).includes('SuccessfulUpdate: Update Pod s-0 in StatefulSet s successful'))
})

test('a claim whose request shrinks releases its quota', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const grows = { provisioner: 'd.example.com', allowVolumeExpansion: true }
  await client.create(refs.STORAGE_CLASSES, { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'x' }, ...grows })
  await client.create(at(refs.RESOURCE_QUOTAS), object('v1', 'ResourceQuota', 'q', { hard: { 'requests.storage': '20Gi' } }))
  const volume = {
    capacity: { storage: '5Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'x',
    csi: { driver: 'd', volumeHandle: 'h' },
  }
  await client.create(refs.PERSISTENT_VOLUMES, object('v1', 'PersistentVolume', 'v', volume))
  await clock.advance(2_000)
  await client.create(
    at(refs.PERSISTENT_VOLUME_CLAIMS),
    object('v1', 'PersistentVolumeClaim', 'c', { ...storage('1Gi'), storageClassName: 'x' }),
  )
  await clock.advance(2_000)
  const ask = (size: string) =>
    client.patch(at(refs.PERSISTENT_VOLUME_CLAIMS, 'c'), 'merge', { spec: { resources: { requests: { storage: size } } } })
  const used = async () => (await client.get(at(refs.RESOURCE_QUOTAS, 'q'))).status?.used?.['requests.storage']
  await ask('9Gi')
  assert.equal(await used(), '9Gi')
  await ask('6Gi')
  await clock.advance(2_000)
  assert.equal(await used(), '6Gi')
})

test('endpoints of a service that loses its selector stay, and are mirrored', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.SERVICES), object('v1', 'Service', 's', { selector: labels, ports: [{ port: 80 }] }))
  const pod = object('v1', 'Pod', 'p', { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }, { labels })
  await client.create(at(refs.PODS), pod)
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }]
  const status = { phase: 'Running', podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }], conditions }
  await client.patch({ ...at(refs.PODS, 'p'), subresource: 'status' }, 'merge', { status })
  await clock.advance(2_000)
  await client.patch(at(refs.SERVICES, 's'), 'merge', { spec: { selector: null } })
  await clock.advance(5_000)
  const managers = (await client.list(at(refs.ENDPOINT_SLICES))).items
    .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === 's')
    .map((slice) => slice.metadata.labels?.['endpointslice.kubernetes.io/managed-by'])
  assert.deepEqual(managers.sort(), ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'])
})

test('nodes that come do not repeat why a service has no topology hints', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const annotations = { 'service.kubernetes.io/topology-mode': 'Auto' }
  await client.create(at(refs.SERVICES), object('v1', 'Service', 's', { selector: labels, ports: [{ port: 80 }] }, { annotations }))
  await clock.advance(5_000)
  const counts = async () =>
    (await client.list(at(refs.CORE_EVENTS))).items.filter((e) => e.reason === 'TopologyAwareHintsDisabled').map((e) => e.count)
  const before = await counts()
  assert.equal(before.length, 1)
  for (const name of ['a', 'b', 'c']) await client.create(refs.NODES, object('v1', 'Node', name, {}))
  await clock.advance(5_000)
  assert.deepEqual(await counts(), before)
})

test('a volume outside of the temporary folder is not deleted, with an event', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  const spec = {
    capacity: { storage: '5Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/data' },
    persistentVolumeReclaimPolicy: 'Delete',
  }
  await client.create(refs.PERSISTENT_VOLUMES, object('v1', 'PersistentVolume', 'v', spec))
  await client.create(at(refs.PERSISTENT_VOLUME_CLAIMS), claim('c', '1Gi'))
  await clock.advance(2_000)
  await client.delete(at(refs.PERSISTENT_VOLUME_CLAIMS, 'c'))
  await clock.advance(5_000)
  const { status } = await client.get({ ...refs.PERSISTENT_VOLUMES, name: 'v' })
  const message = 'host_path deleter only supports /tmp/.+ but received provided /data'
  assert.deepEqual([status?.phase, status?.message], ['Failed', message])
  assert.ok((await said('v')).includes(`VolumeFailedDelete: ${message}`))
})

test('a cron job reports a job that it did not create, and skips a name in use', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } }
  const cron = await client.create(at(refs.CRON_JOBS), object('batch/v1', 'CronJob', 'cj', { schedule: '*/5 * * * *', jobTemplate }))
  const dueAt = Math.floor(Date.UTC(2026, 0, 1, 0, 5) / 60_000)
  await client.create(at(refs.JOBS), object('batch/v1', 'Job', `cj-${dueAt}`, jobTemplate.spec))
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'cj', uid: cron.metadata.uid ?? '', controller: true }
  await client.create(at(refs.JOBS), object('batch/v1', 'Job', 'by-hand', jobTemplate.spec, { ownerReferences: [owner] }))
  await clock.advance(6 * 60_000)
  assert.ok((await said('cj')).includes('UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand'))
  assert.equal((await client.get(at(refs.CRON_JOBS, 'cj'))).status?.lastScheduleTime, undefined)
  await clock.advance(5 * 60_000)
  assert.equal((await client.get(at(refs.CRON_JOBS, 'cj'))).status?.lastScheduleTime, '2026-01-01T00:10:00Z')
})

test('a failed deletion of a pod is reported', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  await client.create(
    at(refs.JOBS),
    object('batch/v1', 'Job', 'j', { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } }),
  )
  await clock.advance(2_000)
  const rule = { operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
  const nowhere = { url: 'https://127.0.0.1:1/' }
  const webhook = {
    name: 'no.example.com',
    clientConfig: nowhere,
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  }
  const ref = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations' }
  const kind = 'ValidatingWebhookConfiguration'
  await client.create(ref, { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'no' }, webhooks: [webhook] })
  await clock.advance(1_000)
  await client.patch(at(refs.JOBS, 'j'), 'merge', { spec: { suspend: true } })
  await clock.advance(5_000)
  assert.ok((await said('j')).some((e) => e.startsWith('FailedDelete: Error deleting: Internal error occurred: failed calling webhook')))
})

test('a forbidden action of a controller is reported on its object', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  const refused = (name: string, rule: JsonObject, expression: string) =>
    Promise.all([
      client.create(refs.VALIDATING_ADMISSION_POLICIES, {
        ...object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', name, {
          matchConstraints: { resourceRules: [{ apiVersions: ['*'], ...rule }] },
          validations: [{ expression, message: 'not today' }],
        }),
      }),
      client.create(
        { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicybindings' },
        object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', name, {
          policyName: name,
          validationActions: ['Deny'],
        }),
      ),
    ])
  await client.create(at(refs.STATEFUL_SETS), set({ replicas: 2, podManagementPolicy: 'Parallel', volumeClaimTemplates: [] }))
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } }
  const cron = { schedule: '* * * * *', concurrencyPolicy: 'Replace', jobTemplate }
  await client.create(at(refs.CRON_JOBS), object('batch/v1', 'CronJob', 'c', cron))
  await client.create(at(refs.CRON_JOBS), object('batch/v1', 'CronJob', 'never', { ...cron, schedule: '0 0 31 2 *' }))
  await clock.advance(60_000)
  await refused('pods', { apiGroups: [''], resources: ['pods'], operations: ['DELETE'] }, 'false')
  await refused('jobs', { apiGroups: ['batch'], resources: ['jobs'], operations: ['DELETE'] }, 'false')
  await refused('slices', { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], operations: ['CREATE'] }, 'false')
  await clock.advance(1_000)
  await client.patch(at(refs.STATEFUL_SETS, 's'), 'merge', { spec: { replicas: 1 } })
  await client.create(at(refs.SERVICES), object('v1', 'Service', 'web', { selector: { app: 'web' }, ports: [{ port: 80 }] }))
  await clock.advance(61_000)
  const starts = async (name: string, what: string) => (await said(name)).find((text) => text.startsWith(what))
  assert.match(
    (await starts('s', 'FailedDelete')) ?? '',
    /^FailedDelete: Delete Pod s-1 in StatefulSet s failed error: pods "s-1" is forbidden: .*not today/,
  )
  assert.match((await starts('c', 'FailedDelete')) ?? '', /^FailedDelete: Deleted job: jobs.batch "c-\d+" is forbidden: .*not today/)
  assert.match(
    (await starts('web', 'FailedToUpdate')) ?? '',
    /^FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default\/web: failed to create EndpointSlice for Service default\/web: .*not today/,
  )
  assert.equal(
    await starts('never', 'Invalid'),
    'InvalidSchedule: invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second',
  )
})

test("a claim of another controller is reported; a pod waits while its predecessor's claim exists", async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  const owner = (kind: string, name: string, uid: string) => ({ apiVersion: 'v1', kind, name, uid, controller: true })
  const config = await client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', 'db', {}))
  const waiting = { finalizers: ['example.com/wait'] }
  const pods = async () => (await client.list(at(refs.PODS))).items.map((p) => p.metadata.name).sort()
  await client.create(
    at(refs.PERSISTENT_VOLUME_CLAIMS),
    claim('d-s-0', '1Gi', { ownerReferences: [owner('ConfigMap', 'db', config.metadata.uid ?? '')] }),
  )
  await client.create(
    at(refs.PERSISTENT_VOLUME_CLAIMS),
    claim('d-s-1', '1Gi', { ...waiting, ownerReferences: [owner('Pod', 's-1', 'before')] }),
  )
  const retention = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } }
  await client.create(at(refs.STATEFUL_SETS), set({ ...retention, replicas: 2, podManagementPolicy: 'Parallel' }))
  await clock.advance(5_000)
  assert.deepEqual(await pods(), ['s-0'])
  const conflict =
    'ConflictingController: PersistentVolumeClaim d-s-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim'
  assert.ok((await said('s')).includes(conflict))
  await client.patch(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-1'), 'merge', { metadata: { finalizers: null } })
  await client.delete(at(refs.PERSISTENT_VOLUME_CLAIMS, 'd-s-1')).catch(() => {})
  await clock.advance(30_000)
  assert.deepEqual(await pods(), ['s-0', 's-1'])
})

const service = (name: string, spec: JsonObject) => object('v1', 'Service', name, { ports: [{ port: 80 }], ...spec })
const written = (name: string): Endpoints => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name, labels: { a: '1' } },
  subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
})

test('endpoints that a user writes stay unchanged, and are deleted with their service', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.SERVICES), service('s', {}))
  await client.create(at(refs.ENDPOINTS), written('s'))
  await clock.advance(5_000)
  const before = (await client.list(at(refs.ENDPOINT_SLICES))).items
  assert.deepEqual(
    before.map((o) => o.metadata.generateName),
    ['s-'],
  )
  await client.patch(at(refs.ENDPOINTS, 's'), 'merge', { metadata: { labels: { a: '2' } } })
  await clock.advance(5_000)
  const after = (await client.list(at(refs.ENDPOINT_SLICES))).items
  assert.deepEqual(
    after.map((o) => [o.metadata.name, o.metadata.labels?.a, o.metadata.generateName]),
    [[before[0]?.metadata.name, '2', undefined]],
    'a mirrored slice is written anew',
  )
  await client.delete(at(refs.SERVICES, 's'))
  await clock.advance(5_000)
  assert.ok(!(await client.list(at(refs.ENDPOINTS))).items.some((o) => o.metadata.name === 's'))

  await client.create(at(refs.SERVICES), service('t', { selector: labels }))
  await clock.advance(5_000)
  await client.patch(at(refs.ENDPOINTS, 't'), 'merge', { subsets: written('t').subsets })
  await clock.advance(5_000)
  assert.equal((await client.get(at(refs.ENDPOINTS, 't'))).subsets?.length, 1)
})

test('an owner with foreground deletion is deleted when no dependent blocks it any more', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const map = (name: string, metadata: object = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
  })
  const { uid = '' } = (await client.create(at(refs.CONFIG_MAPS), map('owner'))).metadata
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }
  await client.create(at(refs.CONFIG_MAPS), map('held', { finalizers: ['example.com/wait'], ownerReferences: [owner] }))
  await client.delete(at(refs.CONFIG_MAPS, 'owner'), { propagationPolicy: 'Foreground' })
  await clock.advance(5_000)
  const names = async () => (await client.list(at(refs.CONFIG_MAPS))).items.map((o) => o.metadata.name)
  assert.deepEqual(await names(), ['held', 'kube-root-ca.crt', 'owner'])
  await client.patch(at(refs.CONFIG_MAPS, 'held'), 'merge', { metadata: { ownerReferences: [{ ...owner, blockOwnerDeletion: false }] } })
  await clock.advance(5_000)
  assert.deepEqual(await names(), ['held', 'kube-root-ca.crt'])
})

test('foreground deletion also deletes dependents that do not block it', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const map = (name: string, metadata: object) => client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', name, {}, metadata))
  const { uid } = (await map('owner', { finalizers: ['example.com/wait'] })).metadata
  await map('owned', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }] })
  await clock.advance(1_000)
  await client.delete(at(refs.CONFIG_MAPS, 'owner'), { propagationPolicy: 'Foreground' })
  await clock.advance(5_000)
  const left = (await client.list(at(refs.CONFIG_MAPS))).items
  assert.deepEqual(
    left.map((o) => [o.metadata.name, o.metadata.finalizers]),
    [
      ['kube-root-ca.crt', undefined],
      ['owner', ['example.com/wait']],
    ],
  )
})

test('the root certificate has its map for itself', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.patch(at(refs.CONFIG_MAPS, 'kube-root-ca.crt'), 'merge', { data: { more: 'x' } })
  await clock.advance(5_000)
  assert.deepEqual(Object.keys((await client.get(at(refs.CONFIG_MAPS, 'kube-root-ca.crt'))).data ?? {}), ['ca.crt'])
})

test('a stale DisruptionTarget condition of a pod is reset', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { containers: [{ name: 'c', image: 'i' }] }))
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  await client.patch({ ...at(refs.PODS, 'p'), subresource: 'status' }, 'strategic', { status: { conditions: [condition] } })
  const state = async () => {
    const { status } = await client.get(at(refs.PODS, 'p'))
    return status?.conditions?.find((c) => c.type === 'DisruptionTarget')?.status
  }
  await clock.advance(60_000)
  assert.equal(await state(), 'True')
  await clock.advance(120_000)
  assert.equal(await state(), 'False')
})

test('pods that outlast their grace period in a namespace that is deleted are reported', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const inside = <T extends KubeObject>(ref: ResourceRef<T>): Target<T> => ({ ...ref, namespace: 'going' })
  await client.create({ ...refs.NAMESPACES }, object('v1', 'Namespace', 'going', {}))
  await clock.advance(1_000)
  const spec = { nodeName: 'n', terminationGracePeriodSeconds: 20, containers: [{ name: 'c', image: 'i' }] }
  await client.create(inside(refs.PODS), object('v1', 'Pod', 'p', spec))
  await client.delete({ ...refs.NAMESPACES, name: 'going' })
  const failure = async () => {
    const { status } = await client.get({ ...refs.NAMESPACES, name: 'going' })
    return status?.conditions?.find((c) => c.type === 'NamespaceDeletionContentFailure' && c.status === 'True')?.message
  }
  await clock.advance(10_000)
  assert.equal(await failure(), undefined)
  await clock.advance(20_000)
  const items = 'unexpected items still remain in namespace: going for gvr: /v1, Resource=pods'
  assert.equal(await failure(), `Failed to delete all resource types, 1 remaining: ${items}`)
})

test('a pod that is evicted by a taint is not evicted again for a taint that does not', async () => {
  await using on = await controllers()
  const { client, clock, said } = on
  const taint = (key: string, effect: string) => ({ key, effect })
  const taints = (...list: readonly object[]) =>
    client.patch({ ...refs.NODES, name: 'n' }, 'merge', { spec: { taints: list as JsonObject[] } })
  await client.create({ ...refs.NODES }, object('v1', 'Node', 'n', {}))
  await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }))
  await clock.advance(1_000)
  await taints(taint('a', 'NoExecute'))
  await clock.advance(1_000)
  await taints(taint('a', 'NoExecute'), taint('b', 'NoSchedule'))
  await clock.advance(1_000)
  assert.deepEqual(
    (await said('p')).filter((text) => text.startsWith('TaintManagerEviction')),
    ['TaintManagerEviction: Marking for deletion Pod default/p'],
  )
  const condition = async () => (await client.get(at(refs.PODS, 'p'))).status?.conditions?.find((c) => c.type === 'DisruptionTarget')
  const before = await condition()
  await taints(taint('c', 'NoExecute'))
  await clock.advance(1_000)
  assert.deepEqual([before?.status, await condition()], ['True', before], 'the condition stays as it was')
})

test('an owner is who the reference names; one that cannot be looked up keeps its object', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const { metadata: owner } = await client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', 'owner', {}))
  const reference = (name: string, apiVersion = 'v1') => ({ apiVersion, kind: 'ConfigMap', name, uid: owner.uid ?? '' })
  const owned = (name: string, ownerReferences: readonly object[]) =>
    client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', name, {}, { ownerReferences }))
  await owned('right', [reference('owner')])
  await owned('wrong', [reference('other')])
  await owned('unknown', [reference('other'), { ...reference('x', 'example.com/v1'), uid: 'u' }])
  await clock.advance(5_000)
  const left = (await client.list(at(refs.CONFIG_MAPS))).items.map((o) => o.metadata.name)
  assert.deepEqual(left, ['kube-root-ca.crt', 'owner', 'right', 'unknown'])
})

test("a slice that somebody else labels as the controller's is deleted", async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.SERVICES), object('v1', 'Service', 's', { selector: labels, ports: [{ port: 80 }] }))
  await clock.advance(2_000)
  const foreign = { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' }
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'foreign', labels: foreign },
    addressType: 'IPv4',
  }
  await client.create(at(refs.ENDPOINT_SLICES), {
    ...slice,
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ name: 'x', port: 1 }],
  } as EndpointSlice)
  await clock.advance(2_000)
  const left = (await client.list(at(refs.ENDPOINT_SLICES))).items.map((o) => o.metadata.name)
  assert.ok(left.length === 1 && left[0] !== 'foreign', left.join())
})

test("controllers own what they write by their program's name; the rules of an aggregated role are applied by their own", async () => {
  await using on = await controllers()
  const { client, clock } = on
  const managers = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)
  const deployment = object('apps/v1', 'Deployment', 'd', {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  })
  await client.create(at(refs.DEPLOYMENTS), deployment, { fieldManager: 'me' })
  await clock.advance(2_000)
  assert.deepEqual(managers(await client.get(at(refs.DEPLOYMENTS, 'd'))), ['kube-controller-manager Update', 'me Update'])

  const admin: Target = { ...refs.CLUSTER_ROLES, name: 'admin' }
  assert.deepEqual(managers(await client.get(admin)), ['clusterrole-aggregation-controller Apply', 'kube-apiserver Update'])
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'admin' }, rules: [] }
  await assert.rejects(
    client.patch(admin, 'apply', role, { fieldManager: 'me' }),
    /conflict with "clusterrole-aggregation-controller": \.rules/,
  )
})

test('the names of claims that were created for a pod are applied by the controller that created them', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const spec = { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } }
  await client.create(at(refs.RESOURCE_CLAIM_TEMPLATES), object('resource.k8s.io/v1', 'ResourceClaimTemplate', 't', spec))
  const containers = [{ name: 'c', image: 'i' }]
  const resourceClaims = [
    { name: 'one', resourceClaimTemplateName: 't' },
    { name: 'two', resourceClaimTemplateName: 't' },
  ]
  await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { containers, resourceClaims }), { fieldManager: 'me' })
  await clock.advance(2_000)
  const { metadata, status } = await client.get(at(refs.PODS, 'p'))
  assert.deepEqual(
    metadata.managedFields?.map(({ manager, operation, subresource }) => [manager, operation, subresource]),
    [
      ['ResourceClaimController', 'Apply', 'status'],
      ['me', 'Update', undefined],
    ],
  )
  assert.deepEqual(status?.resourceClaimStatuses?.map(({ name }) => name).sort(), ['one', 'two'])
})

test('an aggregated role whose parts are gone has no rules that the controller owns', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const role = (name: string, more: object) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1' as const,
    kind: 'ClusterRole' as const,
    metadata: { name, labels: { part: name } },
    ...more,
  })
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
  await client.create(refs.CLUSTER_ROLES, role('sum', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'one' } }] } }))
  await client.create(refs.CLUSTER_ROLES, role('one', { rules }))
  await clock.advance(2_000)
  assert.deepEqual((await client.get({ ...refs.CLUSTER_ROLES, name: 'sum' })).rules, rules)
  await client.delete({ ...refs.CLUSTER_ROLES, name: 'one' })
  await clock.advance(2_000)
  const sum = await client.get({ ...refs.CLUSTER_ROLES, name: 'sum' })
  assert.equal(sum.rules, null)
  assert.ok(!sum.metadata.managedFields?.some(({ manager }) => manager === 'clusterrole-aggregation-controller'))
})

test('a Job whose pods are refused is tried again after one, two, four seconds, each time with an event', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const spec = { serviceAccountName: 'none', restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] }
  await client.create(at(refs.JOBS), object('batch/v1', 'Job', 'j', { template: { spec } }))
  await clock.advance(10_000)
  const events = await client.list(at(refs.CORE_EVENTS), { fieldSelector: 'involvedObject.name=j,reason=FailedCreate' })
  assert.equal(
    events.items.reduce((sum, event) => sum + (event.count ?? 0), 0),
    4,
  )
})

/** What `read` found in each state of the collection's objects, without repetitions. */
async function statesOf<T extends KubeObject>(
  on: Awaited<ReturnType<typeof controllers>>,
  ref: ResourceRef<T>,
  read: (object: T) => unknown,
) {
  const states: unknown[] = []
  const end = new AbortController()
  const watching = (async () => {
    for await (const events of on.client.watch<T>(at(ref), { signal: end.signal }))
      for (const { object } of events) {
        const state = read(object as T)
        if (states.length === 0 || !isDeepStrictEqual(state, states.at(-1))) states.push(state)
      }
  })()
  await on.clock.advance(100)
  return {
    async until(ms: number) {
      await on.clock.advance(ms)
      end.abort()
      await watching.catch(() => {})
      return states
    },
  }
}

test('the first status of a Job that begins counts its new pods', async () => {
  await using on = await controllers()
  const active = await statesOf(on, refs.JOBS, (job) => job.status?.active)
  const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] }
  await on.client.create(at(refs.JOBS), object('batch/v1', 'Job', 'j', { parallelism: 2, completions: 3, template: { spec } }))
  assert.deepEqual(await active.until(3_000), [undefined, 2])
})

const replicated = (kind: string, replicas: number) =>
  object('apps/v1', kind, 'r', {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  })

test('the first status of a ReplicaSet does not count the pods of the same round', async () => {
  await using on = await controllers()
  const counts = await statesOf(on, refs.REPLICA_SETS, ({ status }) => [status?.observedGeneration, status?.replicas])
  await on.client.create(at(refs.REPLICA_SETS), replicated('ReplicaSet', 3))
  assert.deepEqual(await counts.until(3_000), [
    [undefined, 0],
    [1, 0],
    [1, 3],
  ])
})

test('the first status of a Deployment that was scaled has the sizes from before', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.DEPLOYMENTS), replicated('Deployment', 1))
  await clock.advance(3_000)
  const counts = await statesOf(on, refs.DEPLOYMENTS, ({ status }) => [status?.observedGeneration, status?.unavailableReplicas])
  await client.patch(at(refs.DEPLOYMENTS, 'r'), 'merge', { spec: { replicas: 3 } })
  assert.deepEqual(await counts.until(3_000), [
    [1, 1],
    [2, 1],
    [2, 3],
  ])
})
