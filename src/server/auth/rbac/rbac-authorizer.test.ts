import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import { type Attributes, denialText, forbiddenRequest, resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { atOnce } from '../../../base/steps.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { Role } from '../../../resources/types/rbac.ts'
import { readBindings, readClusterRoles, readNamespacedRoles } from '../../bootstrap/notation.ts'
import { escalationFault } from './escalation.ts'
import { rbacAuthorizer } from './rbac-authorizer.ts'
import { createRbacPolicy, RBAC_GROUP } from './rbac-policy.ts'
import { rbacRules } from './rbac-rules.ts'

const ROLES = `
a reader
  get,list core: pods pods/log
  get core: configmaps = only
a escalator
  create rbac.authorization.k8s.io: roles
`
const CLUSTER_ROLES = `
viewer
  get,list,watch *: *
  get /healthz /api/*
logs
  get core: */log
`
const BINDINGS = `
a b1 -> reader: user ann, group devs, account a/robot
a b2 -> missing: user lost
`
const CLUSTER_BINDINGS = `
c1 -> viewer: user vera
c2 -> logs: user larry
`

function world() {
  const watchCache = watchCacheDouble()
  watchCache.put(RBAC_GROUP, 'roles', ...readNamespacedRoles(ROLES))
  watchCache.put(RBAC_GROUP, 'clusterroles', ...readClusterRoles(CLUSTER_ROLES))
  watchCache.put(RBAC_GROUP, 'rolebindings', ...readBindings('RoleBinding', BINDINGS))
  const policy = createRbacPolicy(watchCache)
  watchCache.put(RBAC_GROUP, 'clusterrolebindings', ...readBindings('ClusterRoleBinding', CLUSTER_BINDINGS))
  return { watchCache, policy, authorizer: rbacAuthorizer(policy) }
}

/** `ann get a/pods/p/log`: user, verb, namespace/resource/name/subresource; `-` for an empty part; a path after `at`. */
function attributes(text: string, user: UserInfo): Attributes {
  const [, verb = '', what = '', path = ''] = text.split(' ')
  if (what === 'at') return { ...resourceAttributes({ user, verb, resource: '' }), resourceRequest: false, path }
  const [namespace = '', resource = '', name = '', subresource = ''] = what.split('/').map((p) => (p === '-' ? '' : p))
  return resourceAttributes({ user, verb, namespace, resource, name, subresource })
}

const cases: readonly (readonly [string, string, string])[] = [
  ['a user of a role binding', 'ann get a/pods/p', 'allow RBAC: allowed by RoleBinding "b1/a" of Role "reader" to User "ann"'],
  ['the binding holds in its namespace alone', 'ann get b/pods/p', 'no-opinion'],
  ['a subresource must be named', 'ann get a/pods/p/log', 'allow RBAC: allowed by RoleBinding "b1/a" of Role "reader" to User "ann"'],
  ['the resource does not stand for its subresources', 'ann get a/pods/p/status', 'no-opinion'],
  ['a name that the rule lists', 'ann get a/configmaps/only', 'allow RBAC: allowed by RoleBinding "b1/a" of Role "reader" to User "ann"'],
  ['a name that it does not', 'ann get a/configmaps/other', 'no-opinion'],
  ['no name at all', 'ann get a/configmaps', 'no-opinion'],
  ['a group', 'bob,devs list a/pods', 'allow RBAC: allowed by RoleBinding "b1/a" of Role "reader" to Group "devs"'],
  [
    'a service account',
    'system:serviceaccount:a:robot list a/pods',
    'allow RBAC: allowed by RoleBinding "b1/a" of Role "reader" to ServiceAccount "robot/a"',
  ],
  [
    'a cluster role everywhere',
    'vera watch -/nodes',
    'allow RBAC: allowed by ClusterRoleBinding "c1" of ClusterRole "viewer" to User "vera"',
  ],
  ['and in each namespace', 'vera list x/secrets', 'allow RBAC: allowed by ClusterRoleBinding "c1" of ClusterRole "viewer" to User "vera"'],
  [
    'any resource with that subresource',
    'larry get x/pods/p/log',
    'allow RBAC: allowed by ClusterRoleBinding "c2" of ClusterRole "logs" to User "larry"',
  ],
  ['a path', 'vera get at /healthz', 'allow RBAC: allowed by ClusterRoleBinding "c1" of ClusterRole "viewer" to User "vera"'],
  ['a path under a prefix', 'vera get at /api/v1', 'allow RBAC: allowed by ClusterRoleBinding "c1" of ClusterRole "viewer" to User "vera"'],
  ['another path', 'vera get at /metrics', 'no-opinion'],
  ['a role that does not exist', 'lost get a/pods/p', 'no-opinion RBAC: role.rbac.authorization.k8s.io "missing" not found'],
]

for (const [name, request, expected] of cases) {
  test(name, async () => {
    const [who = '', ...groups] = (request.split(' ')[0] ?? '').split(',')
    const decision = await world().authorizer.authorize(attributes(request, { name: who, groups }))
    assert.equal(`${decision.verdict} ${decision.reason}`.trim(), expected)
  })
}

test('a change of a role or a binding counts at once, for users already seen too', async () => {
  const { watchCache, authorizer } = world()
  const ann: UserInfo = { name: 'ann', groups: [] }
  const may = async (text: string) => (await authorizer.authorize(attributes(text, ann))).verdict === 'allow'
  assert.equal(await may('ann get a/pods/p'), true)
  watchCache.put(RBAC_GROUP, 'roles', ...readNamespacedRoles('a reader\n  get core: secrets'))
  assert.deepEqual([await may('ann get a/pods/p'), await may('ann get a/secrets/s')], [false, true])
  watchCache.remove(RBAC_GROUP, 'rolebindings', 'b1', 'a')
  assert.equal(await may('ann get a/secrets/s'), false)
  watchCache.put(RBAC_GROUP, 'rolebindings', ...readBindings('RoleBinding', 'a b9 -> reader: user ann'))
  assert.equal(await may('ann get a/secrets/s'), true)
})

const ANN: UserInfo = { name: 'ann', groups: ['everybody'] }

/** A namespace whose administrator has bound a role of many texts to everybody, again and again. */
function heavyWorld(bindings: number) {
  const { watchCache, policy, authorizer } = world()
  const resources = Array.from({ length: 2000 }, (_, i) => `r${i}`)
  const rules = Array.from({ length: 10 }, () => ({ apiGroups: [''], verbs: ['get'], resources }))
  const heavy: Role = { apiVersion: `${RBAC_GROUP}/v1`, kind: 'Role', metadata: { name: 'heavy', namespace: 'a' }, rules }
  watchCache.put(RBAC_GROUP, 'roles', heavy)
  const names = Array.from({ length: bindings }, (_, i) => `a h${i} -> heavy: group everybody`)
  watchCache.put(RBAC_GROUP, 'rolebindings', ...readBindings('RoleBinding', names.join('\n')))
  return { watchCache, policy, authorizer }
}

test('a role that is bound many times is searched once, and a large one in turns', async () => {
  const { authorizer } = heavyWorld(50)
  const decision = authorizer.authorize(attributes('ann get a/nothing', ANN))
  assert.ok(decision instanceof Promise, 'others have their turn')
  assert.equal((await decision).verdict, 'no-opinion')
  const allowed = authorizer.authorize(attributes('ann get a/pods/p', ANN))
  assert.ok(!(allowed instanceof Promise), 'a small role is searched first, at once')
})

test('rules are listed once for each binding, as far as they are not too many', () => {
  const rulesOf = (bindings: number) => rbacRules(heavyWorld(bindings).policy)(ANN, 'a')
  assert.deepEqual([rulesOf(2).incomplete, rulesOf(2).resourceRules.length], [false, 22])
  const many = rulesOf(100)
  assert.ok(many.incomplete && many.resourceRules.length < 1000, `${many.resourceRules.length} rules`)
  assert.deepEqual(many.errors, [`there are more rules than are listed: ${many.resourceRules.length}`])
})

test('of several bindings of one subject each counts until it is removed', async () => {
  const { watchCache, authorizer } = world()
  const may = async () => (await authorizer.authorize(attributes('ann get a/pods/p', ANN))).verdict === 'allow'
  watchCache.put(RBAC_GROUP, 'rolebindings', ...readBindings('RoleBinding', 'a b8 -> reader: user ann'))
  watchCache.put(RBAC_GROUP, 'rolebindings', ...readBindings('RoleBinding', 'a b9 -> reader: user ann'))
  for (const [name, left] of [
    ['b1', true],
    ['b9', true],
    ['b8', false],
  ] as const) {
    watchCache.remove(RBAC_GROUP, 'rolebindings', name, 'a')
    assert.equal(await may(), left, name)
  }
})

test('users cannot grant permissions that they do not have; missing ones are listed rule by rule', () => {
  const { policy } = world()
  const user: UserInfo = { name: 'ann', groups: ['x'] }
  const ann = { user, namespace: 'a', resource: { group: RBAC_GROUP, resource: 'roles' } }
  const [role] = readNamespacedRoles('a n\n  get,list core: pods secrets\n  get core: configmaps = only other\n  get /x')
  assert.equal(
    atOnce(escalationFault(policy, ann, role?.rules ?? [])),
    [
      'user "ann" (groups=["x"]) is attempting to grant RBAC permissions not currently held:',
      '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["other"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ].join('\n'),
  )
  assert.equal(atOnce(escalationFault(policy, ann, readNamespacedRoles('a n\n  get core: pods')[0]?.rules ?? [])), undefined)
})

test('a denial has all attributes of the request, escaped', () => {
  const a = resourceAttributes({
    user: { name: '<b>', groups: [] },
    verb: 'get',
    group: 'apps',
    resource: 'deployments',
    subresource: 'scale',
    name: 'x',
    namespace: 'ns',
  })
  assert.equal(denialText(a), 'User "<b>" cannot get resource "deployments/scale" in API group "apps" in the namespace "ns"')
  const { message, details } = forbiddenRequest(a, 'because').status
  assert.equal(
    message,
    'deployments.apps "x" is forbidden: User "&lt;b&gt;" cannot get resource "deployments/scale" in API group "apps" in the namespace "ns": because',
  )
  assert.deepEqual(details, { name: 'x', group: 'apps', kind: 'deployments' })
})

test('a denial without a resource has the other parts of its path', () => {
  const a = resourceAttributes({ user: { name: 'ann', groups: [] }, verb: 'get', group: 'apps', resource: '', name: 'x', namespace: 'ns' })
  const { message, details } = forbiddenRequest(a).status
  assert.equal(message, 'forbidden: User "ann" cannot get resource "" in API group "apps" in the namespace "ns"')
  assert.deepEqual(details, { name: 'x', group: 'apps' })
})
