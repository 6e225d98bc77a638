/** `controllerreports` and `queuereports` of bowsprit.dev through kubectl and the SDK, of parts in this thread and in another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../src/machinery/status-error.ts'
import type { ControllerReport } from '../../src/resources/bowsprit/controller-report.ts'
import type { QueueReport } from '../../src/resources/bowsprit/queue-report.ts'
import type { RequestTrail } from '../../src/resources/bowsprit/request-trail.ts'
import { DEPLOYMENTS, NODES, PODS, RESOURCE_QUOTAS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { deployment, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { installed } from '../walked-page.ts'
import { pageText } from './page-text.ts'

const CONTROLLERS = { group: 'bowsprit.dev', version: 'v1', resource: 'controllerreports' }
const QUEUES = { ...CONTROLLERS, resource: 'queuereports' }
const TRAILS = { ...CONTROLLERS, resource: 'requesttrails' }
const here = { namespace: 'default' }
const lost = { ...pod('lost'), spec: { ...pod('lost').spec, nodeSelector: { disk: 'ssd' } } }

for (const threads of [false, true])
  test(`a controller reports the event, the writes and the result of its reconciliations (threads: ${threads})`, async () => {
    await using cluster = await startCluster({ nodes: 1, trails: true, threads })
    const client = cluster.client()
    await client.create({ ...DEPLOYMENTS, ...here }, deployment('web', { replicas: 1 }))
    const report = await waitFor(async () => {
      const { items } = await client.list<ControllerReport>(CONTROLLERS)
      return items.find(
        ({ metadata, recent = [] }) => metadata.name === 'deployment-controller' && recent.some(({ writes }) => writes !== undefined),
      )
    })
    assert.equal(report.component, 'kube-controller-manager')
    const made = report.recent?.find(({ writes = [] }) => writes.some(({ verb }) => verb === 'create'))
    assert.equal(made?.key, 'default/web')
    assert.equal(made.error, undefined)
    const written = made.writes?.find(({ verb }) => verb === 'create')
    assert.deepEqual([written?.group, written?.resource, written?.namespace], ['apps', 'replicasets', 'default'])
    const cause = await client.get<RequestTrail>({ ...TRAILS, name: made.cause?.requestTrail ?? '' })
    assert.deepEqual([cause.verb, cause.target?.resource, cause.target?.name], ['create', 'deployments', 'web'])
  })

for (const threads of [false, true])
  test(`controllers and the scheduler are measured under Kubernetes' names (threads: ${threads})`, async () => {
    await using cluster = await startCluster({ nodes: 1, trails: true, threads })
    await cluster.client().create({ ...DEPLOYMENTS, ...here }, deployment('web', { replicas: 1 }))
    const wanted = [
      /^scheduler_schedule_attempts_total\{.*result="scheduled"\} [1-9]/m,
      /^scheduler_pending_pods\{queue="active"\} \d+$/m,
      /^workqueue_adds_total\{name="deployment"\} [1-9]/m,
      /^workqueue_work_duration_seconds_bucket\{name="replicaset",le="\+Inf"\} [1-9]/m,
    ]
    await waitFor(async () => {
      const text = await pageText(cluster, '/metrics')
      return wanted.every((line) => line.test(text))
    })
  })

test('a key that fails is listed with its error until it succeeds', async () => {
  await using cluster = await startCluster({ nodes: 0, trails: true })
  const client = cluster.client()
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'none' },
    spec: { hard: { 'count/replicasets.apps': '0' } },
  } as const
  await client.create({ ...RESOURCE_QUOTAS, ...here }, quota)
  await waitFor(async () => (await client.get({ ...RESOURCE_QUOTAS, ...here, name: 'none' })).status?.hard)
  await client.create({ ...DEPLOYMENTS, ...here }, deployment('web', { replicas: 1 }))
  const of = async () => client.get<ControllerReport>({ ...CONTROLLERS, name: 'deployment-controller' })
  const failing = await waitFor(async () => {
    const report = await of().catch(() => undefined)
    return report !== undefined && report.failing > 0 && report.keys !== undefined ? report : undefined
  })
  const [key] = failing.keys ?? []
  assert.equal(key?.key, 'default/web')
  assert.match(key.error ?? '', /exceeded quota: none/)
  assert.ok((key.failures ?? 0) > 0)
  await client.delete({ ...RESOURCE_QUOTAS, ...here, name: 'none' })
  await waitFor(async () => (await of()).failing === 0)
})

for (const threads of [false, true])
  test(`the queue tells what a pod waits for, and forgets it when it is placed (threads: ${threads})`, async () => {
    await using cluster = await startCluster({ nodes: 1, trails: true, threads })
    const client = cluster.client()
    await waitFor(() => client.get({ ...SERVICE_ACCOUNTS, ...here, name: 'default' }).catch(() => undefined))
    await client.create({ ...PODS, ...here }, lost)
    const report = await waitFor(async () => {
      const { items } = await client.list<QueueReport>({ ...QUEUES, ...here })
      return items.find(({ queue, plugins = [] }) => queue === 'Unschedulable' && plugins.includes('NodeAffinity'))
    })
    assert.equal(report.metadata.name, 'lost')
    assert.ok(report.wokenBy?.includes('node-updated'))
    assert.ok(report.attempts > 0)
    const gone = (async () => {
      for await (const events of client.watch<QueueReport>({ ...QUEUES, ...here }, { resourceVersion: '0' }))
        for (const { type, object } of events) if (type === 'DELETED') return object.metadata.name
    })()
    await client.patch({ ...NODES, name: 'node-1' }, 'merge', { metadata: { labels: { disk: 'ssd' } } })
    assert.equal(await gone, 'lost')
  })

test('kubectl lists, explains and watches both; RBAC decides', async (t) => {
  await using cluster = await startCluster({ nodes: 1, trails: true })
  const { sh, firstLine } = await installed(t, cluster)
  await cluster.client().create({ ...PODS, ...here }, lost)
  const watching = firstLine('kubectl get controllerreports -w --no-headers', /^deployment-controller .*default\/web/)
  await cluster.client().create({ ...DEPLOYMENTS, ...here }, deployment('web', { replicas: 1 }))
  assert.match(await watching, /^deployment-controller\s+kube-controller-manager\s+\d/)
  await waitFor(async () => (await sh('kubectl get queuereports -A')).out.match(/default\s+lost\s+Unschedulable\s+0\s+\d+\s+NodeAffinity/))
  assert.match((await sh('kubectl explain controllerreport.recent.cause')).out, /The request that stored it/)
  const reader = cluster.client({ name: 'ann', uid: '', groups: ['system:authenticated'], extra: {} })
  await assert.rejects(reader.list(CONTROLLERS), (error) => isStatus(error, 'Forbidden'))
})
