import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALLOWED, type Authorizer } from '../../../apiserver/identity/authorizer.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { RoleBinding } from '../../../resources/types/rbac.ts'
import { readBindings, readClusterRoles } from '../../bootstrap/notation.ts'
import { admissionSetup, type Write } from '../admission.double.ts'
import { rbacEscalation } from './rbac-escalation.ts'

const GROUP = 'rbac.authorization.k8s.io'
const HELD = `
viewer
  get,list core: pods
editor
  get core: pods
  update core: pods
`

/** Ann is bound to `viewer` in the whole cluster, and has no other rights. */
const setUp = (rights: readonly string[]) =>
  admissionSetup(
    {
      [`${GROUP}/clusterroles`]: readClusterRoles(HELD),
      [`${GROUP}/clusterrolebindings`]: readBindings('ClusterRoleBinding', 'b -> viewer: user ann'),
    },
    rights,
  )

const role = (kind: 'Role' | 'ClusterRole', fields: object, metadata: object = {}): KubeObject => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: 'new', ...(kind === 'Role' && { namespace: 'a' }), ...metadata },
  ...fields,
})
const rules = (...verbs: readonly string[]) => ({ rules: [{ verbs, apiGroups: [''], resources: ['pods'] }] })
const binding = (kind: string, name: string): RoleBinding => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'new', namespace: 'a' },
  subjects: [],
  roleRef: { apiGroup: GROUP, kind, name },
})

const refusal = (what: string, ...missing: readonly string[]) =>
  `403 ${what}.${GROUP} "new" is forbidden: user "ann" (groups=[]) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`
const PODS = (verbs: string) => `{APIGroups:[""], Resources:["pods"], Verbs:[${verbs}]}`
const AGGREGATES = { aggregationRule: { clusterRoleSelectors: [{}] }, rules: [] }

const rows: readonly (readonly [rule: string, write: Write, said: string, ...rights: readonly string[]])[] = [
  ['what one holds may be handed on by a role', { object: role('Role', rules('get')) }, 'ok'],
  ['and by a cluster role', { object: role('ClusterRole', rules('get', 'list')) }, 'ok'],
  ['what one lacks may not', { object: role('Role', rules('delete')) }, refusal('roles', PODS('"delete"'))],
  ['each lacking verb is named', { object: role('Role', rules('get', 'watch', 'delete')) }, refusal('roles', PODS('"watch" "delete"'))],
  ['nor by a cluster role', { object: role('ClusterRole', rules('*')) }, refusal('clusterroles', PODS('"*"'))],
  ['the right to escalate gives it', { object: role('Role', rules('delete')) }, 'ok', 'escalate roles '],
  [
    'a right on the name is none on a create',
    { object: role('Role', rules('delete')) },
    refusal('roles', PODS('"delete"')),
    'escalate roles new',
  ],
  ['it is one on a create by PUT', { object: role('Role', rules('delete')), pathName: 'new' }, 'ok', 'escalate roles new'],
  ['it is one on an update', { object: role('Role', rules('delete')), old: role('Role', rules('get')) }, 'ok', 'escalate roles new'],
  ['an update is judged, too', { object: role('Role', rules('delete')), old: role('Role', {}) }, refusal('roles', PODS('"delete"'))],
  ['a deletion is not', { object: role('Role', rules('delete')), operation: 'DELETE' }, 'ok'],
  ['another kind is not', { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'a' } } }, 'ok'],
  [
    'who changes the owners alone needs no right',
    {
      object: role('Role', rules('delete'), { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] }),
      old: role('Role', rules('delete')),
    },
    'ok',
  ],
  [
    'nor who changes finalizers',
    { object: role('Role', rules('delete'), { finalizers: ['a/b'] }), old: role('Role', rules('delete')) },
    'ok',
  ],
  [
    'who changes labels, too, does',
    { object: role('Role', rules('delete'), { finalizers: ['a/b'], labels: { c: 'd' } }), old: role('Role', rules('delete')) },
    refusal('roles', PODS('"delete"')),
  ],
  [
    'an aggregated role is written by who holds everything',
    { object: role('ClusterRole', AGGREGATES) },
    `403 clusterroles.${GROUP} "new" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  ],
  [
    'with its selectors, too',
    { object: role('ClusterRole', AGGREGATES, { labels: { a: 'b' } }), old: role('ClusterRole', AGGREGATES) },
    `403 clusterroles.${GROUP} "new" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  ],
  [
    'the rules are judged first',
    { object: role('ClusterRole', { ...AGGREGATES, ...rules('delete') }) },
    refusal('clusterroles', PODS('"delete"')),
  ],
  [
    'no selectors aggregate nothing, and rules without verbs grant nothing',
    { object: role('ClusterRole', { aggregationRule: {}, rules: [{ resources: ['pods'] }] }) },
    'ok',
  ],
  ['a write without a change is not judged', { object: role('ClusterRole', AGGREGATES), old: role('ClusterRole', AGGREGATES) }, 'ok'],
  ['one may bind what one holds', { object: binding('ClusterRole', 'viewer') }, 'ok'],
  ['not what one lacks', { object: binding('ClusterRole', 'editor') }, refusal('rolebindings', PODS('"update"'))],
  ['unless one may bind it', { object: binding('ClusterRole', 'editor') }, 'ok', 'bind clusterroles editor'],
  [
    'the right to bind another does not help',
    { object: binding('ClusterRole', 'editor') },
    refusal('rolebindings', PODS('"update"')),
    'bind clusterroles viewer',
  ],
  ['a role that is not there cannot be judged', { object: binding('Role', 'gone') }, `404 rolebindings.${GROUP} "gone" not found`],
  ['nor one of another kind', { object: binding('Bogus', 'x') }, '500 unsupported role reference kind: "Bogus"'],
  ['nor one without a name', { object: binding('Role', '') }, '400 Name parameter required.'],
  ['nor one that a path cannot name', { object: binding('Role', 'a/b') }, `400 Name parameter invalid: "a/b": may not contain '/'`],
  ['who may bind it may', { object: binding('Role', 'gone') }, 'ok', 'bind roles gone'],
]
for (const [rule, write, said, ...rights] of rows)
  test(rule, async () => {
    const { admit, deps } = setUp(rights)
    assert.equal(await admit(rbacEscalation(deps), write), said)
  })

test('the right to bind is one on roles of the group that the reference names', async () => {
  const { admit, deps } = setUp([])
  const groups: string[] = []
  const authorizer: Authorizer = {
    authorize(attributes) {
      groups.push(attributes.group)
      return ALLOWED
    },
  }
  const object = { ...binding('ClusterRole', 'editor'), roleRef: { apiGroup: 'x', kind: 'ClusterRole', name: 'editor' } }
  assert.equal(await admit(rbacEscalation({ ...deps, authorizer }), { object }), 'ok')
  assert.deepEqual(groups, ['x'])
})

test('a member of system:masters is not judged', () => {
  const { deps } = setUp([])
  const resource = { group: GROUP, version: 'v1', resource: 'roles' }
  const request = { resource, subresource: '', operation: 'CREATE', user: { name: 'root', groups: ['system:masters'] } }
  const plugin = rbacEscalation(deps)
  assert.equal(plugin.handles(request as unknown as Parameters<typeof plugin.handles>[0]), false)
})
