/** `fieldhistories.bowsprit.dev` through kubectl and the SDK: who set which field, when, by which request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldHistory } from '../../src/resources/bowsprit/field-history.ts'
import type { RequestTrail } from '../../src/resources/bowsprit/request-trail.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, NAMESPACES, PODS, SECRETS } from '../../src/resources/refs.ts'
import { configMap, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { installed } from '../walked-page.ts'

const HISTORIES = { group: 'bowsprit.dev', version: 'v1', resource: 'fieldhistories', namespace: 'default' }
const TRAILS = { group: 'bowsprit.dev', version: 'v1', resource: 'requesttrails' }
const MAPS = { ...CONFIG_MAPS, namespace: 'default' }

const recorded = () => startCluster({ parts: ['server'], trails: true })

test('each change of an object, with the request that made it and the fields that it set', async () => {
  await using cluster = await recorded()
  const client = cluster.client()
  await client.create(MAPS, configMap('moods', { today: 'calm' }))
  await client.patch({ ...MAPS, name: 'moods' }, 'merge', { data: { today: 'wild' } }, { fieldManager: 'weather' })
  // A request that changes nothing is no change.
  await client.patch({ ...MAPS, name: 'moods' }, 'merge', { data: { today: 'wild' } })
  const history = await client.get<FieldHistory>({ ...HISTORIES, name: 'configmaps:moods' })
  assert.deepEqual(
    history.changes.map(({ change, verb, fieldManager }) => [change, verb, fieldManager]),
    [
      ['changed', 'patch', 'weather'],
      ['created', 'create', 'admin'],
    ],
  )
  assert.deepEqual(history.changes[0]?.fields, [{ path: 'data.today', from: '"calm"', to: '"wild"' }])
  assert.equal(history.complete, true)
  const trail = await client.get<RequestTrail>({ ...TRAILS, name: history.changes[0]?.requestTrail ?? '' })
  assert.equal(trail.storedRevision, history.changes[0]?.revision)
  await client.delete({ ...MAPS, name: 'moods' })
  const after = await client.get<FieldHistory>({ ...HISTORIES, name: 'configmaps:moods' })
  assert.deepEqual([after.changes[0]?.change, after.changes[0]?.verb, after.changes.length], ['deleted', 'delete', 3])
})

test('an object without a namespace has its history in default, and a binding is a change of the pod', async () => {
  await using cluster = await startCluster({ trails: true })
  const client = cluster.client()
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
  assert.equal((await client.get<FieldHistory>({ ...HISTORIES, name: 'namespaces:shop' })).target.name, 'shop')
  await client.create({ ...PODS, namespace: 'default' }, pod('a'))
  const bound = await waitFor(async () => {
    const { changes } = await client.get<FieldHistory>({ ...HISTORIES, name: 'pods:a' })
    return changes.find(({ subresource }) => subresource === 'binding')
  })
  assert.equal(bound.user, 'system:kube-scheduler')
  assert.ok(bound.fields?.some(({ path }) => path === 'spec.nodeName'))
})

test('kubectl lists, watches and explains histories', async (t) => {
  await using cluster = await recorded()
  const { sh, firstLine } = await installed(t, cluster)
  await sh('kubectl create configmap seen --from-literal=a=b')
  assert.match((await sh('kubectl get fieldhistories')).out, /^configmaps:seen\s+1\s+admin\s+\S+/m)
  const watching = firstLine('kubectl get fieldhistory configmaps:seen -w -o yaml', /data\.later/)
  await waitFor(async () => {
    const { items } = await cluster.client().list<RequestTrail>(TRAILS)
    return items.some(({ verb, target }) => verb === 'watch' && target?.resource === 'fieldhistories') || undefined
  })
  await sh(`kubectl patch configmap seen --type merge -p '{"data":{"later":"c"}}'`)
  assert.match(await watching, /data\.later/)
  assert.match((await sh('kubectl explain fieldhistory.changes.requestTrail')).out, /The request that stored it/)
})

test('who may not get the object sees no fields; values of secrets are shown to nobody', async () => {
  await using cluster = await recorded()
  const client = cluster.client()
  await client.create(MAPS, configMap('closed', { a: 'b' }))
  const secret = { apiVersion: 'v1' as const, kind: 'Secret' as const, metadata: { name: 's' }, data: { key: 'aHVzaA==' } }
  await client.create({ ...SECRETS, namespace: 'default' }, secret)
  await client.create(CLUSTER_ROLES, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'histories' },
    rules: [{ apiGroups: ['bowsprit.dev'], resources: ['fieldhistories'], verbs: ['get', 'list'] }],
  })
  await client.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'histories' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'histories' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
  })
  const ann = cluster.client({ name: 'ann', groups: ['system:authenticated'] })
  const [closed] = (await ann.get<FieldHistory>({ ...HISTORIES, name: 'configmaps:closed' })).changes
  assert.deepEqual([closed?.user, closed?.fields], ['admin', undefined])
  const { changes } = await client.get<FieldHistory>({ ...HISTORIES, name: 'secrets:s' })
  assert.ok(changes[0]?.fields?.some(({ path }) => path === 'data'))
  assert.doesNotMatch(JSON.stringify(changes), /aHVzaA/)
  const bob = cluster.client({ name: 'bob', groups: ['system:authenticated'] })
  await assert.rejects(bob.list(HISTORIES), { code: 403 })
})

test('the history of an object that was changed often is bounded, and tells that it is not complete', async () => {
  await using cluster = await recorded()
  const client = cluster.client()
  await client.create(MAPS, configMap('busy', { n: '0' }))
  for (let n = 1; n <= 120; n++) await client.patch({ ...MAPS, name: 'busy' }, 'merge', { data: { n: String(n) } })
  const { changes, complete } = await client.get<FieldHistory>({ ...HISTORIES, name: 'configmaps:busy' })
  assert.deepEqual([changes.length, complete, changes[0]?.fields?.[0]?.to], [100, false, '"120"'])
})
