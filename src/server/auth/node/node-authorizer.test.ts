import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import { type Attributes, resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { nodeAuthorizer } from './node-authorizer.ts'
import { createNodeRelations } from './node-relations.ts'

const AGENT: UserInfo = { name: 'system:node:n1', groups: ['system:nodes'] }

const pod = (name: string, nodeName: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'a', uid: `${name}-uid` },
  spec: { nodeName, containers: [], ...spec },
})
const MINE = pod('mine', 'n1', {
  serviceAccountName: 'robot',
  volumes: [
    { name: 's', secret: { secretName: 'key' } },
    { name: 'c', configMap: { name: 'conf' } },
    { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
  ],
})
const THEIRS = pod('theirs', 'n2', { volumes: [{ name: 's', secret: { secretName: 'other' } }] })

function authorizer() {
  const cache = watchCacheDouble()
  cache.put('', 'pods', MINE, THEIRS)
  const volume = (name: string, claim: string, csi: object = {}) =>
    cache.put('', 'persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { claimRef: { namespace: 'a', name: claim }, csi },
    })
  volume('disk', 'data', {
    nodeStageSecretRef: { namespace: 'b', name: 'stage' },
    controllerPublishSecretRef: { namespace: 'b', name: 'publish' },
  })
  volume('foreign', 'other')
  cache.put('storage.k8s.io', 'volumeattachments', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'at-n1' },
    spec: { nodeName: 'n1' },
  })
  const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['services'] }]
  return { cache, authorizer: nodeAuthorizer(createNodeRelations(cache), cache.reader, rules) }
}

/** `VERB [GROUP/]RESOURCE[:SUBRESOURCE] [NAMESPACE/]NAME`, a dash for nothing; then a field selector. */
function attributes(text: string, user = AGENT): Attributes {
  const [verb = '', what = '', where = '-', fieldSelector] = text.split(' ')
  const [path = '', subresource = ''] = what.split(':')
  const [resource = '', group = ''] = path.split('/').reverse()
  const [name = '', namespace = ''] = where.split('/').reverse()
  return resourceAttributes({
    user,
    verb,
    group,
    resource,
    subresource,
    namespace,
    name: name === '-' ? '' : name,
    ...(fieldSelector && { fieldSelector }),
  })
}

const UNRELATED = "no relationship found between node 'n1' and this object"
const cases: readonly (readonly [asked: string, said: string])[] = [
  ['get secrets a/key', 'allow'],
  ['watch secrets a/key', 'allow'],
  ['get secrets a/other', UNRELATED],
  ['get secrets b/key', UNRELATED],
  ['list secrets a/-', 'No Object name found'],
  ['get secrets key', 'can only read namespaced object of this type'],
  ['update secrets a/key', 'can only read resources of this type'],
  ['get configmaps a/conf', 'allow'],
  ['get configmaps:x a/conf', 'cannot read subresource'],
  ['get persistentvolumeclaims a/data', 'allow'],
  ['list persistentvolumeclaims a/data', 'can only get individual resources of this type'],
  ['update persistentvolumeclaims:status a/data', 'allow'],
  ['get persistentvolumeclaims:status a/data', 'can only get/update/patch this type'],
  ['get persistentvolumes disk', 'allow'],
  ['get persistentvolumes foreign', UNRELATED],
  ['get persistentvolumes other', UNRELATED],
  ['get secrets b/stage', 'allow'],
  ['get secrets b/publish', UNRELATED],
  ['get storage.k8s.io/volumeattachments at-n1', 'allow'],
  ['get storage.k8s.io/volumeattachments at-n2', UNRELATED],
  ['create serviceaccounts:token a/robot', 'allow'],
  ['create serviceaccounts:token a/other', UNRELATED],
  ['get serviceaccounts a/robot', 'allow'],
  ['get serviceaccounts robot', 'can only read namespaced object of this type'],
  ['list serviceaccounts a/robot', 'can only create tokens for individual service accounts'],
  ['create serviceaccounts:token a/-', 'can only create tokens for individual service accounts'],
  ['create serviceaccounts a/robot', 'can only create token subresource of serviceaccount'],
  ['get serviceaccounts:token a/robot', 'can only create tokens for individual service accounts'],
  ['get nodes n1', 'allow'],
  ['get nodes n2', "node 'n1' cannot read 'n2', only its own Node object"],
  ['list nodes -', "node 'n1' cannot read all nodes, only its own Node object"],
  ['list nodes n2', "node 'n1' cannot read 'n2', only its own Node object"],
  ['patch nodes:status n1', 'allow'],
  ['delete nodes n1', 'no opinion'],
  ['get pods a/mine', 'allow'],
  ['get pods a/theirs', UNRELATED],
  ['list pods - spec.nodeName=n1', 'allow'],
  ['list pods - spec.nodeName==n1', 'allow'],
  ['list pods - status.phase=Running,spec.nodeName=n1', 'allow'],
  ['list pods - spec.nodeName=n2', 'can only list/watch pods with spec.nodeName field selector'],
  ['list pods -', 'can only list/watch pods with spec.nodeName field selector'],
  ['list pods a/mine', 'allow'],
  ['watch pods a/theirs', UNRELATED],
  ['create pods:eviction a/theirs', 'allow'],
  ['create pods:exec a/mine', 'no opinion'],
  ['update coordination.k8s.io/leases kube-node-lease/n1', 'allow'],
  ['update coordination.k8s.io/leases kube-node-lease/n2', 'can only access node lease with the same name as the requesting node'],
  ['update coordination.k8s.io/leases a/n1', 'can only access leases in the "kube-node-lease" system namespace'],
  ['list coordination.k8s.io/leases kube-node-lease/n1', 'can only get, create, update, patch, or delete a node lease'],
  ['create storage.k8s.io/csinodes -', 'allow'],
  ['get storage.k8s.io/csinodes n2', 'can only access CSINode with the same name as the requesting node'],
  ['create resource.k8s.io/resourceslices -', 'allow'],
  ['list resource.k8s.io/resourceslices - spec.nodeName=n1', 'allow'],
  ['list resource.k8s.io/resourceslices -', 'can only list/watch/deletecollection resourceslices with nodeName field selector'],
  [
    'use resource.k8s.io/resourceslices s',
    'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
  ],
  ['list services a/-', 'allow'],
  ['delete services a/x', 'no opinion'],
]
for (const [requested, said] of cases)
  test(`${requested}: ${said}`, async () => {
    const { verdict, reason } = await authorizer().authorizer.authorize(attributes(requested))
    assert.equal(verdict === 'allow' ? 'allow' : reason || 'no opinion', said)
  })

const others: readonly (readonly [rule: string, user: UserInfo, reason: string])[] = [
  ['a user of another name is no agent', { name: 'n1', groups: ['system:nodes'] }, ''],
  ['nor is one outside of the group', { name: 'system:node:n1', groups: [] }, ''],
  ['an agent names its node', { name: 'system:node:', groups: ['system:nodes'] }, 'unknown node for user "system:node:"'],
]
for (const [rule, user, reason] of others)
  test(rule, async () => {
    assert.deepEqual(await authorizer().authorizer.authorize(attributes('get nodes n1', user)), { verdict: 'no-opinion', reason })
  })

test('what a pod needs is readable from its binding to its end', async () => {
  const { cache, authorizer: one } = authorizer()
  const verdict = async () => (await one.authorize(attributes('get secrets a/late'))).verdict
  const late = pod('late', 'n1', { volumes: [{ name: 's', secret: { secretName: 'late' } }] })
  assert.equal(await verdict(), 'no-opinion')
  cache.put('', 'pods', late)
  assert.equal(await verdict(), 'allow')
  cache.remove('', 'pods', 'late', 'a')
  assert.equal(await verdict(), 'no-opinion')
})
