/** Small bodies whose lists multiply: the server counts the pairs, it does not make them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, PODS, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { isStatus } from '../../src/sdk/sdk.ts'
import { openAttackedCluster } from './attacked-cluster.ts'

const times = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i))
const metadata = { name: 'a', namespace: 'default' }

test('lists that multiply are refused, or cost what they are long', async (t) => {
  await using attacked = await openAttackedCluster({ parts: ['server'] })
  const client = attacked.cluster.client()
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  )
  await client.create(
    { ...ROLES, namespace: 'default' },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'maker' },
      rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }],
    },
  )
  const ann = attacked.cluster.client({ name: 'ann', groups: ['system:authenticated'] })
  await client.create(
    { ...ROLE_BINDINGS, namespace: 'default' },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'ann', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'maker' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    },
  )

  await t.test('a role of a hundred groups, resources, verbs and names', async () => {
    const names = times(100, (i) => `n${i}`)
    const rules = [{ apiGroups: names, resources: names, verbs: names, resourceNames: names }]
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules } as const
    await assert.rejects(
      ann.create({ ...ROLES, namespace: 'default' }, role),
      (error) => isStatus(error, 'Forbidden') && /100000000 RBAC/.test(String(error)),
    )
  })

  await t.test('endpoints of many addresses and ports', async () => {
    const addresses = times(10_000, (i) => ({ ip: `10.1.${i >> 8}.${i & 255}` }))
    const ports = times(10_000, (i) => ({ name: `p${i}`, port: i + 1, protocol: 'TCP' as const }))
    const made = await client.create(
      { ...ENDPOINTS, namespace: 'default' },
      { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: [{ addresses, ports }] },
    )
    assert.equal(made.subsets?.length, 1)
  })

  await t.test('a forbidden change of 5,000 selectors of a pod', async () => {
    const spec = (nodeSelector: Record<string, string>) => ({ containers: [{ name: 'a', image: 'a' }], nodeSelector })
    const made = await client.create({ ...PODS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Pod', metadata, spec: spec({ a: 'b' }) })
    const other = spec(Object.fromEntries(times(5000, (i) => [`k${i}`, 'v'])))
    await assert.rejects(client.update({ ...PODS, ...metadata }, { ...made, spec: { ...made.spec, ...other } }), (error) => {
      assert.ok(isStatus(error, 'Invalid'), String(error))
      return /may not change fields/.test(error.message) && error.message.length < 200_000
    })
  })
  assert.deepEqual(attacked.errors, [])
})
