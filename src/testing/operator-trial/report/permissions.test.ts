import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestInfo } from '../../../apiserver/request/request-info.ts'
import type { TrialCall } from '../program/trial-call.ts'
import { comparePermissions, permissionText, UsedPermissions } from './permissions.ts'

const used = (...lines: readonly string[]) => {
  const all = new UsedPermissions()
  all.add(
    lines.map((line, id): TrialCall => {
      const [method = '', path = '', code = '200'] = line.split(' ')
      const watching = method === 'WATCH'
      return { id, atMs: 0, life: 1, dryRun: false, code: Number(code), ...requestInfo(watching ? 'GET' : method, path, { watching }) }
    }),
  )
  return all.all
}
const role = (kind: string, namespace: string | undefined, ...rules: readonly object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'r', ...(namespace === undefined ? {} : { namespace }) },
  rules,
})
const MAPS = { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'create'] }
const LEASES = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create'] }

test('who looks at all namespaces may write into any; the lease is a matter of one', () => {
  const found = used(
    'WATCH /api/v1/configmaps',
    'POST /api/v1/namespaces/a/configmaps 201',
    'GET /apis/coordination.k8s.io/v1/namespaces/system/leases/x',
    'POST /apis/coordination.k8s.io/v1/namespaces/system/leases 201',
  )
  assert.equal(
    comparePermissions(found, []).minimal,
    `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: operator
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: operator
  namespace: system
rules:
- apiGroups: ["coordination.k8s.io"]
  resources: [leases]
  verbs: [create, get]`,
  )
  // In the cluster its lease is in another namespace than in the trial.
  const { missing, unused } = comparePermissions(found, [role('ClusterRole', undefined, MAPS), role('Role', 'elsewhere', LEASES)])
  assert.deepEqual([missing, unused], [[], []])
})

test('a Role reaches as far as its namespace', () => {
  const found = used('WATCH /api/v1/namespaces/a/configmaps', 'POST /api/v1/namespaces/a/configmaps 201')
  assert.match(comparePermissions(found, []).minimal, /kind: Role\n.*\n {2}name: operator\n {2}namespace: a\n/)
  assert.deepEqual(comparePermissions(found, [role('Role', 'a', MAPS)]).missing, [])
  assert.deepEqual(comparePermissions(found, [role('Role', 'b', MAPS)]).missing.map(permissionText), [
    'watch configmaps',
    'create configmaps',
  ])
})

test('what everybody may do, and a look for a kind that is not there, needs no rule; an apply that creates needs two verbs', () => {
  const found = used(
    'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews 201',
    'WATCH /apis/kopf.dev/v1/clusterkopfpeerings 404',
    'GET /version',
    'PATCH /api/v1/namespaces/a/configmaps/x 201',
  )
  assert.deepEqual(found.map(permissionText), ['patch configmaps', 'create configmaps'])
})
