import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isStatus } from '../machinery/status-error.ts'
import * as refs from '../resources/refs.ts'
import type { ControllerRevision } from '../resources/types/apps.ts'
import type { TokenReview } from '../resources/types/authentication.ts'
import type { Pod } from '../resources/types/core.ts'
import type { Client, ResourceRef, Target } from '../sdk/client/client.ts'
import { startCluster } from '../testing/start-cluster.ts'
import { sketch } from './frame/sketch.double.ts'

const MINUTE_MS = 60_000
const LABELS = { app: 'a' }
const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } }

/** A certificate signing request of `CN=somebody` (P-256), PEM in base64. */
const REQUEST = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITU1IVUNBUUF3RXpFUk1BOEdBMVVFQXd3SWMyOXRaV0p2Wkhrd1dUQVRCZ2NxaGtqT1BR',
  'SUJCZ2dxaGtqTwpQUU1CQndOQ0FBVC9FNDVVQkRzOFgya1FBZUVvOUpLc2VzQ3gwenljQVBxWUN0RkQ4OElKdmdYL0o4eHFaN2dVCmgwaXB1UG1tNG5RYktX',
  'NXY3dzJ1aGdwZUlFcnBQRW5Fb0FBd0NnWUlLb1pJemowRUF3SURSd0F3UkFJZ09tRUwKVjRQSkNiK3kydjFsbDZzL0lhRjcrVkl3MjdLMXk3RDNhY3NoUXRz',
  'Q0lBSjZhMmJnRTdEbEdrK0Z2MUsvb2owMgpHOE53eW5ENElsQWluNmI0UVA3QQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K',
].join('')

/** A server and its controllers in virtual time; the test plays scheduler and kubelet. */
async function controllers() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1, 0, 0, 30))
  const cluster = await startCluster({ parts: ['server', 'controllers'] }, { clock, random: seededRandom(1) })
  await clock.advance(5_000)
  const client = cluster.client()
  return { cluster, clock, client, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const at = <T extends KubeObject>(ref: ResourceRef<T>, name?: string): Target<T> => ({
  ...ref,
  namespace: 'default',
  ...(name === undefined ? {} : { name }),
})
const object = <T extends KubeObject>(apiVersion: string, kind: string, name: string, rest: object = {}, metadata: object = {}): T =>
  sketch({
    apiVersion,
    kind,
    metadata: { name, ...metadata },
    ...rest,
  })
const names = async (client: Client, ref: ResourceRef) => (await client.list(at(ref))).items.map((o) => o.metadata.name).sort()
const gone = (client: Client, ref: ResourceRef, name: string) =>
  client.get(at(ref, name)).then(
    () => false,
    (error) => isStatus(error, 'NotFound'),
  )

let address = 0
/** What a kubelet would report. */
async function run(client: Client, pod: Pod, phase = 'Running', ready = phase === 'Running'): Promise<void> {
  const podIP = pod.status?.podIP ?? `10.1.0.${++address}`
  const since = '2026-01-01T00:00:30Z'
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }]
  const name = pod.metadata.name ?? ''
  await client.patch({ ...at(refs.PODS, name), subresource: 'status' }, 'merge', {
    status: { phase, podIP, podIPs: [{ ip: podIP }], conditions, startTime: since },
  })
}
async function runAll(client: Client, phase?: string): Promise<void> {
  for (const pod of (await client.list(at(refs.PODS))).items) if (pod.status?.phase === 'Pending') await run(client, pod, phase)
}

test('a namespace gets its account and its root certificate, and both come back', async () => {
  await using on = await controllers()
  const { client, clock } = on
  assert.deepEqual(await names(client, refs.SERVICE_ACCOUNTS), ['default'])
  assert.deepEqual(await names(client, refs.CONFIG_MAPS), ['kube-root-ca.crt'])
  const before = await client.get(at(refs.CONFIG_MAPS, 'kube-root-ca.crt'))
  await client.patch(at(refs.CONFIG_MAPS, 'kube-root-ca.crt'), 'merge', { data: { 'ca.crt': 'mine' } })
  await client.delete(at(refs.SERVICE_ACCOUNTS, 'default'))
  await clock.advance(2_000)
  assert.deepEqual(await names(client, refs.SERVICE_ACCOUNTS), ['default'])
  assert.deepEqual((await client.get(at(refs.CONFIG_MAPS, 'kube-root-ca.crt'))).data, before.data)
})

test('pods leave a namespace before anything else', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const inside = { namespace: 'passing' }
  await client.create(refs.NAMESPACES, object('v1', 'Namespace', 'passing'))
  await clock.advance(1_000)
  await client.create({ ...refs.CONFIG_MAPS, ...inside }, object('v1', 'ConfigMap', 'stays'))
  await client.create({ ...refs.PODS, ...inside }, object('v1', 'Pod', 'p', { spec: template.spec }, { finalizers: ['example.com/wait'] }))
  await client.delete({ ...refs.NAMESPACES, name: 'passing' })
  await clock.advance(20_000)
  const namespace = await client.get({ ...refs.NAMESPACES, name: 'passing' })
  assert.ok((await client.list({ ...refs.CONFIG_MAPS, ...inside })).items.some((o) => o.metadata.name === 'stays'))
  const conditions = namespace.status?.conditions?.map((c) => `${c.type}=${c.status}`)
  assert.deepEqual(conditions, [
    'NamespaceDeletionDiscoveryFailure=False',
    'NamespaceDeletionGroupVersionParsingFailure=False',
    'NamespaceDeletionContentFailure=False',
    'NamespaceContentRemaining=False',
    'NamespaceFinalizersRemaining=False',
  ])
  await client.patch({ ...refs.PODS, ...inside, name: 'p' }, 'merge', { metadata: { finalizers: null } })
  await clock.advance(1_000)
  await assert.rejects(client.get({ ...refs.NAMESPACES, name: 'passing' }), /not found/)
})

test('a service has its endpoints in both forms, and an empty slice without backends', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const spec = { selector: LABELS, ports: [{ port: 80, targetPort: 8080 }] }
  await client.create(at(refs.SERVICES), object('v1', 'Service', 's', { spec }))
  const slices = async () =>
    (await client.list(at(refs.ENDPOINT_SLICES))).items
      .filter((s) => s.metadata.labels?.['kubernetes.io/service-name'] === 's')
      .map((s) => `${(s.endpoints ?? []).map((e) => `${e.addresses} ${e.conditions?.ready}`)}`)
  await clock.advance(2_000)
  assert.deepEqual(await slices(), [''])
  const pod = await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { spec: template.spec }, { labels: LABELS }))
  await run(client, pod)
  await clock.advance(2_000)
  const podIP = (await client.get(at(refs.PODS, 'p'))).status?.podIP
  assert.deepEqual(await slices(), [`${podIP} true`])
  const { subsets } = await client.get(at(refs.ENDPOINTS, 's'))
  assert.deepEqual(
    subsets?.map((s) => [s.addresses?.[0]?.ip, s.ports?.[0]?.port]),
    [[podIP, 8080]],
  )
  await client.patch(at(refs.PODS, 'p'), 'merge', { metadata: { labels: { app: 'other' } } })
  await clock.advance(2_000)
  assert.deepEqual(await slices(), [''])
})

test('a stateful set makes its pods one after the other, with their claims', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }]
  const spec = { replicas: 2, serviceName: 's', selector: { matchLabels: LABELS }, template, volumeClaimTemplates: claims }
  await client.create(at(refs.STATEFUL_SETS), object('apps/v1', 'StatefulSet', 'db', { spec }))
  await clock.advance(2_000)
  assert.deepEqual(await names(client, refs.PODS), ['db-0'])
  await runAll(client)
  await clock.advance(2_000)
  assert.deepEqual(await names(client, refs.PODS), ['db-0', 'db-1'])
  assert.deepEqual(await names(client, refs.PERSISTENT_VOLUME_CLAIMS), ['data-db-0', 'data-db-1'])
})

test('a daemon set has a pod for each node, and follows nodes that come and go', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const node = (name: string) => object('v1', 'Node', name, { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
  await client.create(refs.NODES, node('a'))
  await client.create(at(refs.DAEMON_SETS), object('apps/v1', 'DaemonSet', 'd', { spec: { selector: { matchLabels: LABELS }, template } }))
  await clock.advance(2_000)
  assert.equal((await client.list(at(refs.PODS))).items.length, 1)
  await client.create(refs.NODES, node('b'))
  await clock.advance(2_000)
  assert.equal((await client.list(at(refs.PODS))).items.length, 2)
  await client.delete({ ...refs.NODES, name: 'a' })
  // A node that goes wakes no daemon set: its pods do, when they have been cleared away. These were never bound.
  await client.patch(at(refs.DAEMON_SETS, 'd'), 'merge', { metadata: { labels: { touched: 'yes' } } })
  await clock.advance(2 * MINUTE_MS)
  assert.equal((await client.list(at(refs.PODS))).items.length, 1)
})

test('a revision stores the template with sorted keys; a name collision with other content gives another name', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.DAEMON_SETS), object('apps/v1', 'DaemonSet', 'd', { spec: { selector: { matchLabels: LABELS }, template } }))
  await clock.advance(2_000)
  const [first] = (await client.list(at(refs.CONTROLLER_REVISIONS))).items
  assert.ok(first)
  const sorted = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    ((Array.isArray(value) || isInOrder(Object.keys(value))) && Object.values(value).every(sorted))
  assert.ok(sorted(first.data), JSON.stringify(first.data))
  const { name = '' } = first.metadata
  const stranger: ControllerRevision = object('apps/v1', 'ControllerRevision', name, { data: { other: true }, revision: 1 })
  await client.delete({ ...at(refs.CONTROLLER_REVISIONS), name })
  await clock.advance(10)
  assert.equal((await client.get({ ...at(refs.CONTROLLER_REVISIONS), name })).revision, 1, 'it comes back')
  await client.delete({ ...at(refs.DAEMON_SETS), name: 'd' })
  await client.delete({ ...at(refs.CONTROLLER_REVISIONS), name })
  await client.create(at(refs.CONTROLLER_REVISIONS), stranger)
  await client.create(at(refs.DAEMON_SETS), object('apps/v1', 'DaemonSet', 'd', { spec: { selector: { matchLabels: LABELS }, template } }))
  await clock.advance(10_000)
  const after = (await client.list(at(refs.CONTROLLER_REVISIONS))).items.map((r) => r.metadata.name)
  assert.equal(after.length, 2)
  assert.ok(after.includes(name))
  assert.equal((await client.get({ ...at(refs.DAEMON_SETS), name: 'd' })).status?.collisionCount, 1)
})

test('a rollout ends with the new template alone', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const spec = { replicas: 3, selector: { matchLabels: LABELS }, template }
  await client.create(at(refs.DEPLOYMENTS), object('apps/v1', 'Deployment', 'web', { spec }))
  await clock.advance(1_000)
  await runAll(client)
  await clock.advance(1_000)
  await client.patch(at(refs.DEPLOYMENTS, 'web'), 'strategic', {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } },
  })
  for (let i = 0; i < 8; i++) {
    await clock.advance(1_000)
    await runAll(client)
  }
  await clock.advance(1_000)
  const { status } = await client.get(at(refs.DEPLOYMENTS, 'web'))
  assert.deepEqual([status?.replicas, status?.updatedReplicas, status?.availableReplicas], [3, 3, 3])
  const sizes = (await client.list(at(refs.REPLICA_SETS))).items.map((rs) => rs.spec?.replicas).sort()
  assert.deepEqual(sizes, [0, 3])
})

test('a cron job makes a job when its time has come, and a finished job goes when its time is over', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const jobTemplate = { spec: { ttlSecondsAfterFinished: 30, template: { spec: { ...template.spec, restartPolicy: 'Never' } } } }
  await client.create(at(refs.CRON_JOBS), object('batch/v1', 'CronJob', 'c', { spec: { schedule: '*/5 * * * *', jobTemplate } }))
  await clock.advance(4 * MINUTE_MS)
  assert.deepEqual(await names(client, refs.JOBS), [])
  await clock.advance(MINUTE_MS)
  assert.equal((await names(client, refs.JOBS)).length, 1)
  await runAll(client, 'Succeeded')
  await clock.advance(5_000)
  const [job] = (await client.list(at(refs.JOBS))).items
  assert.equal(job?.status?.succeeded, 1)
  await clock.advance(MINUTE_MS)
  assert.deepEqual(await names(client, refs.JOBS), [])
})

test('a quota counts down when things go', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.RESOURCE_QUOTAS), object('v1', 'ResourceQuota', 'q', { spec: { hard: { configmaps: '5' } } }))
  const used = async () => (await client.get(at(refs.RESOURCE_QUOTAS, 'q'))).status?.used?.configmaps
  await clock.advance(2_000)
  assert.equal(await used(), '1')
  await client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', 'x'))
  assert.equal(await used(), '2')
  await client.delete(at(refs.CONFIG_MAPS, 'x'))
  await clock.advance(2_000)
  assert.equal(await used(), '1')
})

test('a budget grants what its pods can spare', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(
    at(refs.REPLICA_SETS),
    object('apps/v1', 'ReplicaSet', 'r', { spec: { replicas: 3, selector: { matchLabels: LABELS }, template } }),
  )
  const spec = { minAvailable: 2, selector: { matchLabels: LABELS } }
  await client.create(at(refs.POD_DISRUPTION_BUDGETS), object('policy/v1', 'PodDisruptionBudget', 'b', { spec }))
  await clock.advance(1_000)
  const allowed = async () => (await client.get(at(refs.POD_DISRUPTION_BUDGETS, 'b'))).status?.disruptionsAllowed
  assert.equal(await allowed(), 0)
  await runAll(client)
  await clock.advance(2_000)
  assert.equal(await allowed(), 1)
})

test('a claim is bound, and stays while a pod uses it', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const capacity = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
  const volume = { ...capacity, capacity: { storage: '2Gi' }, hostPath: { path: '/x' } }
  await client.create(refs.PERSISTENT_VOLUMES, object('v1', 'PersistentVolume', 'v', { spec: volume }))
  const spec = { ...capacity, resources: { requests: { storage: '1Gi' } } }
  await client.create(at(refs.PERSISTENT_VOLUME_CLAIMS), object('v1', 'PersistentVolumeClaim', 'c', { spec }))
  await clock.advance(20_000)
  assert.equal((await client.get(at(refs.PERSISTENT_VOLUME_CLAIMS, 'c'))).status?.phase, 'Bound')
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }]
  await client.create(refs.NODES, object('v1', 'Node', 'n'))
  await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { spec: { ...template.spec, volumes, nodeName: 'n' } }))
  await client.delete(at(refs.PERSISTENT_VOLUME_CLAIMS, 'c'))
  await clock.advance(5_000)
  assert.equal(await gone(client, refs.PERSISTENT_VOLUME_CLAIMS, 'c'), false)
  await client.delete(at(refs.PODS, 'p'), { gracePeriodSeconds: 0 })
  await clock.advance(20_000)
  assert.equal(await gone(client, refs.PERSISTENT_VOLUME_CLAIMS, 'c'), true)
  assert.equal((await client.get({ ...refs.PERSISTENT_VOLUMES, name: 'v' })).status?.phase, 'Released')
})

test('an approved request is signed, and cleaned up later', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const target = { ...refs.CERTIFICATE_SIGNING_REQUESTS, name: 'r' }
  const spec = { request: REQUEST, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] }
  await client.create(refs.CERTIFICATE_SIGNING_REQUESTS, object('certificates.k8s.io/v1', 'CertificateSigningRequest', 'r', { spec }))
  const csr = await client.get(target)
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' } as const]
  await client.update({ ...target, subresource: 'approval' }, { ...csr, status: { conditions } })
  await clock.advance(2_000)
  assert.match(Buffer.from((await client.get(target)).status?.certificate ?? '', 'base64').toString(), /BEGIN CERTIFICATE/)
  await clock.advance(3 * 60 * MINUTE_MS)
  await assert.rejects(client.get(target), /not found/)
})

test('a silent node is tainted, and its pods go when they have tolerated it for long enough', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const node = (name: string) => object('v1', 'Node', name, { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
  await client.create(refs.NODES, node('n'))
  await client.create(refs.NODES, node('other'))
  await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { spec: { ...template.spec, nodeName: 'n' } }))
  /** Time passes; the other node says all the while that it is well. */
  const pass = async (ms: number) => {
    for (const end = clock.now() + ms; clock.now() < end; ) {
      const beat = { type: 'Ready', status: 'True', lastHeartbeatTime: new Date(clock.now()).toISOString().replace(/\.\d+/, '') }
      const target = { ...refs.NODES, name: 'other', subresource: 'status' }
      await client.patch(target, 'strategic', { status: { conditions: [beat] } })
      await clock.advance(Math.min(20_000, end - clock.now()))
    }
  }
  await pass(40_000)
  assert.equal((await client.get({ ...refs.NODES, name: 'n' })).spec?.taints, undefined)
  await pass(20_000)
  const silent = await client.get({ ...refs.NODES, name: 'n' })
  assert.deepEqual(silent.spec?.taints?.map((t) => t.effect).sort(), ['NoExecute', 'NoSchedule'])
  assert.equal(await gone(client, refs.PODS, 'p'), false)
  await pass(6 * MINUTE_MS)
  const pod = await client.get(at(refs.PODS, 'p'))
  assert.ok(pod.metadata.deletionTimestamp !== undefined)
  await client.delete({ ...refs.NODES, name: 'n' })
  await pass(3 * MINUTE_MS)
  assert.equal(await gone(client, refs.PODS, 'p'), true)
})

test('while no node reports there is no eviction; when one returns, the grace period of the others starts again', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const node = (name: string) => object('v1', 'Node', name, { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
  for (const name of ['n', 'm']) await client.create(refs.NODES, node(name))
  await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { spec: { ...template.spec, nodeName: 'n' } }))
  await clock.advance(10 * MINUTE_MS)
  const taints = async (name: string) =>
    ((await client.get({ ...refs.NODES, name })).spec?.taints ?? []).map((t: { effect: string }) => t.effect).join()
  assert.deepEqual([await taints('n'), await taints('m')], ['NoSchedule', 'NoSchedule'])
  assert.equal((await client.get(at(refs.PODS, 'p'))).metadata.deletionTimestamp, undefined)
  const beat = { type: 'Ready', status: 'True', lastHeartbeatTime: new Date(clock.now()).toISOString().replace(/\.\d+/, '') }
  await client.patch({ ...refs.NODES, name: 'm', subresource: 'status' }, 'strategic', { status: { conditions: [beat] } })
  await clock.advance(10_000)
  assert.deepEqual([await taints('n'), await taints('m')], ['NoSchedule,NoExecute', ''])
})

test('endpoints that somebody writes for a service without a selector are mirrored, until it has one', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.SERVICES), object('v1', 'Service', 's', { spec: { ports: [{ port: 80 }] } }))
  const subsets = [{ addresses: [{ ip: '10.8.0.1' }], ports: [{ port: 8080 }] }]
  await client.create(at(refs.ENDPOINTS), object('v1', 'Endpoints', 's', { subsets }))
  const managers = async () => {
    const all = (await client.list(at(refs.ENDPOINT_SLICES))).items.filter((s) => s.metadata.labels?.['kubernetes.io/service-name'] === 's')
    return all.map((s) => s.metadata.labels?.['endpointslice.kubernetes.io/managed-by'])
  }
  await clock.advance(2_000)
  assert.deepEqual(await managers(), ['endpointslicemirroring-controller.k8s.io'])
  await client.patch(at(refs.SERVICES, 's'), 'merge', { spec: { selector: LABELS } })
  await clock.advance(2_000)
  assert.deepEqual(await managers(), ['endpointslice-controller.k8s.io'])
})

test('the claim of an ephemeral volume comes with its pod', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const volumes = [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec } } }]
  const pod = await client.create(at(refs.PODS), object('v1', 'Pod', 'p', { spec: { ...template.spec, volumes } }))
  await clock.advance(2_000)
  const claim = await client.get(at(refs.PERSISTENT_VOLUME_CLAIMS, 'p-v'))
  assert.equal(claim.metadata.ownerReferences?.[0]?.uid, pod.metadata.uid)
})

test('an owner of a version that is not served cannot be looked up: its dependents stay', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const ghost = (apiVersion: string) => [{ apiVersion, kind: 'Deployment', name: 'x', uid: '00000000-0000-0000-0000-000000000001' }]
  for (const [name, version] of [['kept', 'apps/v9'] as const, ['gone', 'apps/v1'] as const])
    await client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', name, {}, { ownerReferences: ghost(version) }))
  await clock.advance(2_000)
  assert.deepEqual(await names(client, refs.CONFIG_MAPS), ['kept', 'kube-root-ca.crt'])
})

test('an owner in the foreground goes when its last dependent has another owner; what has no namespace is not owned from within one', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const owner = async (name: string) => {
    const { apiVersion, kind, metadata } = await client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', name))
    return sketch({ apiVersion, kind, name, uid: metadata.uid ?? '', blockOwnerDeletion: true })
  }
  const [a, b, d] = [await owner('a'), await owner('b'), await owner('d')]
  await client.create(at(refs.CONFIG_MAPS), object('v1', 'ConfigMap', 'c', {}, { ownerReferences: [a, b] }))
  await client.create(
    refs.CLUSTER_ROLES,
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'r', { rules: [] }, { ownerReferences: [d] }),
  )
  await clock.advance(2_000)
  await client.delete(at(refs.CONFIG_MAPS, 'a'), { propagationPolicy: 'Foreground' })
  await client.delete(at(refs.CONFIG_MAPS, 'd'))
  await clock.advance(2_000)
  assert.deepEqual(await names(client, refs.CONFIG_MAPS), ['b', 'c', 'kube-root-ca.crt'])
  const { ownerReferences } = (await client.get(at(refs.CONFIG_MAPS, 'c'))).metadata
  assert.deepEqual(
    ownerReferences?.map((r) => r.name),
    ['b'],
  )
  assert.equal((await client.get({ ...refs.CLUSTER_ROLES, name: 'r' })).metadata.deletionTimestamp, undefined)
})

test('a token secret gets a token that the server takes, until the secret is gone', async () => {
  await using on = await controllers()
  const { client, clock } = on
  const review = async (token: string) => {
    const ref: ResourceRef<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }
    const requested: TokenReview = object('authentication.k8s.io/v1', 'TokenReview', '', { spec: { token } })
    return (await client.create(ref, requested)).status
  }
  await client.create(at(refs.SERVICE_ACCOUNTS), object('v1', 'ServiceAccount', 'bot', { secrets: [{ name: 't' }, { name: 'other' }] }))
  const annotations = { 'kubernetes.io/service-account.name': 'bot' }
  await client.create(at(refs.SECRETS), object('v1', 'Secret', 't', { type: 'kubernetes.io/service-account-token' }, { annotations }))
  await clock.advance(2_000)
  const { data } = await client.get(at(refs.SECRETS, 't'))
  assert.deepEqual(Object.keys(data ?? {}).sort(), ['ca.crt', 'namespace', 'token'])
  const token = Buffer.from(data?.token ?? '', 'base64').toString()
  await clock.advance(24 * 60 * MINUTE_MS)
  assert.equal((await review(token))?.user?.username, 'system:serviceaccount:default:bot')
  await client.delete(at(refs.SECRETS, 't'))
  await clock.advance(2_000)
  assert.notEqual((await review(token))?.authenticated, true)
  assert.deepEqual((await client.get(at(refs.SERVICE_ACCOUNTS, 'bot'))).secrets, [{ name: 'other' }])
})

test('a token secret that names an earlier account of that name goes, and the list of the account stays', async () => {
  await using on = await controllers()
  const { client, clock } = on
  await client.create(at(refs.SERVICE_ACCOUNTS), object('v1', 'ServiceAccount', 'bot', { secrets: [{ name: 't' }] }))
  const annotations = { 'kubernetes.io/service-account.name': 'bot', 'kubernetes.io/service-account.uid': 'before' }
  await client.create(at(refs.SECRETS), object('v1', 'Secret', 't', { type: 'kubernetes.io/service-account-token' }, { annotations }))
  await clock.advance(2_000)
  assert.deepEqual(await names(client, refs.SECRETS), [])
  assert.deepEqual((await client.get(at(refs.SERVICE_ACCOUNTS, 'bot'))).secrets, [{ name: 't' }])
})

const isInOrder = (keys: readonly string[]) => keys.every((k, i) => i === 0 || (keys[i - 1] ?? '') < k)
