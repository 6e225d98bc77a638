/** `requesttrails.bowsprit.dev` through kubectl and the SDK: who did what, who allowed it, how long it took. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../src/machinery/status-error.ts'
import type { RequestTrail } from '../../src/resources/bowsprit/request-trail.ts'
import type { WatchReport } from '../../src/resources/bowsprit/watch-report.ts'
import { CONFIG_MAPS, DEPLOYMENTS, LEASES, NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { deployment, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { installed } from '../walked-page.ts'

const TRAILS = { group: 'bowsprit.dev', version: 'v1', resource: 'requesttrails' }
const WATCHES = { ...TRAILS, resource: 'watchreports' }
const MAPS = { ...CONFIG_MAPS, namespace: 'default' }
const map = (name: string) => ({ apiVersion: 'v1' as const, kind: 'ConfigMap' as const, metadata: { name } })

const account = { apiVersion: 'v1' as const, kind: 'ServiceAccount' as const, metadata: { name: 'default' } }

/** Nobody listens at its address. */
const DEAD_WEBHOOK = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'dead' },
  webhooks: [
    {
      name: 'dead.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      admissionReviewVersions: ['v1'],
    },
  ],
}

const recorded = () => startCluster({ parts: ['server'], trails: true })

test('kubectl lists, gets, explains and watches the requests of others', async (t) => {
  await using cluster = await recorded()
  const { sh, firstLine } = await installed(t, cluster)
  const watching = firstLine('kubectl get requesttrails -w --no-headers', /configmaps\/seen/)
  await waitFor(async () => {
    const { items } = await cluster.client().list<RequestTrail>(TRAILS)
    return items.some(({ verb, target }) => verb === 'watch' && target?.resource === 'requesttrails') || undefined
  })
  await sh('kubectl create configmap seen --from-literal=a=b')
  const out = await watching
  assert.match(out, /^\S+\s+create\s+configmaps\/seen -n default\s+admin\s+201\s+[\d.]+\s+\d+s$/m)
  const [name = ''] = out.split(' ')
  const { out: yaml, err } = await sh(`kubectl get requesttrail ${name} -o yaml`)
  assert.match(yaml, /authentication: token or proxy/, err)
  assert.match(yaml, /authorizer: system:masters/)
  assert.match(yaml, /fieldManager: kubectl-create/)
  assert.match((await sh('kubectl get trails')).out, /^NAME\s+VERB\s+TARGET\s+USER\s+CODE\s+TOOK\s+AGE$/m)
  assert.match((await sh('kubectl explain requesttrail.authorization.binding')).out, /the binding that allowed it/)
})

test('a request in process is recorded with its stages, its revision and its cost', async () => {
  await using cluster = await recorded()
  const created = await cluster.client().create(MAPS, map('a'))
  const { items } = await cluster.client().list<RequestTrail>(TRAILS)
  const trail = items.find(({ verb, target }) => verb === 'create' && target?.name === 'a')
  assert.ok(trail)
  assert.equal(trail.storedRevision, created.metadata.resourceVersion)
  assert.equal(trail.state, 'complete')
  assert.deepEqual(
    trail.stages.map(({ name }) => name),
    ['authenticate', 'wait', 'authorize', 'handle', 'respond'],
  )
  assert.deepEqual(await cluster.client().get({ ...TRAILS, name: trail.metadata.name ?? '' }), trail)
})

test('a refused request shows its reason; who may not get the target does not see the message', async () => {
  await using cluster = await recorded()
  const ann = cluster.client({ name: 'ann', groups: ['system:authenticated'] })
  await assert.rejects(ann.create({ ...SECRETS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }))
  await grant(cluster.client())
  const of = async (client: typeof ann) => {
    const { items } = await client.list<RequestTrail>(TRAILS)
    return items.find(({ code, target }) => code === 403 && target?.resource === 'secrets')
  }
  const [open, closed] = [await of(cluster.client()), await of(ann)]
  assert.equal(open?.reason, 'Forbidden')
  assert.match(open?.message ?? '', /User "ann" cannot create resource "secrets"/)
  assert.equal(closed?.reason, 'Forbidden')
  assert.equal(closed?.message, undefined)
  assert.equal(closed?.authorization?.decision, 'forbid')
  const stages = open?.stages.map(({ name }) => name)
  assert.deepEqual(stages, ['authenticate', 'wait', 'authorize', 'respond'], 'authorize is the stage in which it failed')
})

test('a selector leaves out heartbeats and dry runs', async () => {
  await using cluster = await recorded()
  const client = cluster.client()
  const itself = cluster.client({ name: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] })
  const leases = { ...LEASES, namespace: 'kube-node-lease' }
  const [node, lease] = [
    { ...NODES, name: 'n' },
    { ...leases, name: 'n' },
  ]
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
  await itself.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n' } })
  await itself.patch(lease, 'merge', { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } })
  await itself.patch({ ...node, subresource: 'status' }, 'merge', { status: { phase: 'Running' } })
  await client.patch({ ...node, subresource: 'status' }, 'merge', { status: { phase: 'Pending' } })
  await client.create(MAPS, map('web'), { dryRun: true })
  const listed = async (fieldSelector: string) => {
    const { items } = await client.list<RequestTrail>(TRAILS, { fieldSelector: `${fieldSelector},user.name!=system:apiserver` })
    return items.map(({ verb, target, user }) => [user.name, verb, target?.resource, target?.subresource].filter(Boolean).join(' '))
  }
  assert.deepEqual(await listed('heartbeat=true'), ['system:node:n patch leases', 'system:node:n patch nodes status'])
  assert.deepEqual(await listed('query.dryRun=All'), ['admin create configmaps'])
  assert.deepEqual(await listed('heartbeat!=true,query.dryRun!=All,verb!=list,verb!=watch'), [
    'admin create nodes',
    'system:node:n create leases',
    'admin patch nodes status',
  ])
})

test('while somebody watches, a trail has what each plugin changed; calls of webhooks it always has', async () => {
  await using cluster = await recorded()
  const client = cluster.client()
  const trailOf = async (name: string) => {
    const { items } = await client.list<RequestTrail>(TRAILS)
    return items.find(({ verb, target }) => verb === 'create' && target?.name === name)
  }
  await client.create({ group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingwebhookconfigurations' }, DEAD_WEBHOOK)
  await client.create({ ...SERVICE_ACCOUNTS, namespace: 'default' }, account)
  await client.create({ ...PODS, namespace: 'default' }, pod('unseen', { image: 'i' }))
  assert.deepEqual(
    (await trailOf('unseen'))?.admission?.map(({ webhook, outcome }) => [webhook, outcome]),
    [['dead.example.com', 'failed']],
  )

  const stop = new AbortController()
  const events = client.watch<RequestTrail>(TRAILS, { signal: stop.signal })[Symbol.asyncIterator]()
  await events.next()
  await client.create({ ...PODS, namespace: 'default' }, pod('seen', { image: 'i' }))
  const steps = (await trailOf('seen'))?.admission ?? []
  stop.abort()
  const mutated = steps.find(({ plugin, phase }) => plugin === 'ServiceAccount' && phase === 'mutate')
  assert.deepEqual(
    mutated?.changes?.filter(({ path }) => path.startsWith('spec.serviceAccount')).map(({ path, to }) => `${path} ${to}`),
    ['spec.serviceAccountName "default"', 'spec.serviceAccount "default"'],
  )
  assert.ok(steps.some(({ plugin, phase }) => plugin === 'LimitRanger' && phase === 'validate'))
})

test('trails need the right to read them, and are not served where nothing is recorded', async () => {
  await using cluster = await recorded()
  const ann = cluster.client({ name: 'ann', groups: ['system:authenticated'] })
  await assert.rejects(ann.list(TRAILS), (error) => isStatus(error, 'Forbidden'))
  await using plain = await startCluster({ parts: ['server'] })
  await assert.rejects(plain.client().list(TRAILS), (error) => isStatus(error, 'NotFound'))
})

test('kubectl shows who watches what, and how much was sent', async (t) => {
  await using cluster = await recorded()
  const client = cluster.client()
  const { sh } = await installed(t, cluster)
  const stop = new AbortController()
  const watching = async () => {
    for await (const _ of client.watch({ ...CONFIG_MAPS, namespace: 'default' }, { signal: stop.signal, labelSelector: 'a=b' }));
  }
  const done = watching()
  const report = await waitFor(async () => {
    const { items } = await client.list<WatchReport>(WATCHES)
    return items.find(({ target, labelSelector }) => target.resource === 'configmaps' && labelSelector === 'a=b')
  })
  const reports = client.watch<WatchReport>(WATCHES, { signal: stop.signal })[Symbol.asyncIterator]()
  await reports.next()
  await client.create(MAPS, { ...map('labelled'), metadata: { name: 'labelled', labels: { a: 'b' } } })
  await waitFor(async () => (await client.get<WatchReport>({ ...WATCHES, name: report.metadata.name ?? '' })).events === 1 || undefined)
  assert.match((await sh('kubectl get watchreports')).out, /configmaps -n default +a=b +1 +1 +current/)

  const { items } = await client.list<RequestTrail>(TRAILS)
  const trail = items.find(({ target }) => target?.name === 'labelled')
  assert.deepEqual(trail?.delivered, { watches: 0, selecting: 1, to: [] })
  stop.abort()
  await done
  await assert.rejects(client.get({ ...WATCHES, name: report.metadata.name ?? '' }), (error) => isStatus(error, 'NotFound'))
})

/** ann may read trails, and nothing else. */
async function grant(client: Awaited<ReturnType<typeof recorded>>['client'] extends (...args: never) => infer C ? C : never) {
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' }
  const rules = [{ apiGroups: ['bowsprit.dev'], resources: ['requesttrails'], verbs: ['get', 'list', 'watch'] }]
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  await client.create({ ...rbac, resource: 'clusterroles' }, { apiVersion, kind: 'ClusterRole', metadata: { name: 'trails' }, rules })
  await client.create(
    { ...rbac, resource: 'clusterrolebindings' },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'trails' },
      roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'trails' },
      subjects: [{ apiGroup: rbac.group, kind: 'User', name: 'ann' }],
    },
  )
}

for (const threads of [false, true])
  test(`what a request caused: controllers, scheduler and node, one after the other (threads: ${threads})`, async () => {
    await using cluster = await startCluster({ trails: true, threads })
    const client = cluster.client()
    // A pod that waits for a node is bound because of what the scheduler wrote of it, or of the node.
    await waitFor(async () => (await client.list(NODES)).items.some(({ spec }) => spec?.taints === undefined))
    await client.create({ ...DEPLOYMENTS, namespace: 'default' }, deployment('web', { replicas: 1 }))
    const running = await waitFor(async () => {
      const { items } = await client.list<RequestTrail>(TRAILS)
      return items.find(({ cause, target }) => cause?.controller === 'kubelet' && target?.name?.startsWith('web-'))
    })
    // A request may end after what it caused has begun.
    const causedBy = ({ metadata }: RequestTrail) =>
      waitFor(async () => {
        const { cause } = await client.get<RequestTrail>({ ...TRAILS, name: metadata.name ?? '' })
        return cause?.requestTrail === undefined ? undefined : client.get<RequestTrail>({ ...TRAILS, name: cause.requestTrail })
      })
    const binding = await causedBy(running)
    assert.deepEqual([binding.target?.subresource, binding.cause?.controller], ['binding', 'scheduler'])
    const pod = await causedBy(binding)
    assert.deepEqual([pod.verb, pod.target?.resource], ['create', 'pods'])
    const replicaSet = await causedBy(pod)
    assert.deepEqual([replicaSet.verb, replicaSet.target?.resource], ['create', 'replicasets'])
    const whole = await causedBy(replicaSet)
    assert.deepEqual([whole.verb, whole.target?.resource, whole.user.name, whole.cause], ['create', 'deployments', 'admin', undefined])
    assert.ok(whole.caused?.some(({ target, verb }) => verb === 'create' && target.resource === 'replicasets'))
  })
