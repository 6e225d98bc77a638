import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const pods = { ...PODS, namespace: 'default' }
const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' } },
  spec: {
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'app:1', env: [{ name: 'A', value: 'b' }], resources: { requests: { cpu: '10m' } } }],
  },
})
const conditions = [{ type: 'Ready', status: 'False', reason: 'Waiting' }]

test('a hundred thousand pods of one template share their spec and managed fields in memory, also after binding and status updates', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } }
  await client.create({ group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' }, account)
  const made: Pod[] = []
  for (const [i, name] of ['a', 'b'].entries()) {
    await client.create(pods, pod(name))
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: `node-${i}` } }
    await client.create<KubeObject>({ ...pods, name, subresource: 'binding' }, binding)
    const status: JsonObject = { podIP: `10.0.0.${i + 1}`, podIPs: [{ ip: `10.0.0.${i + 1}` }], conditions }
    made.push(await client.patch({ ...pods, name, subresource: 'status' }, 'strategic', { status }))
  }
  const [a, b] = made
  assert.equal(a?.spec.nodeName, 'node-0')
  assert.equal(b?.spec.nodeName, 'node-1')
  assert.equal(a?.spec.containers, b?.spec.containers)
  assert.equal(a?.spec.tolerations, b?.spec.tolerations)
  assert.equal(a?.metadata.labels, b?.metadata.labels)
  const fields = (of: KubeObject | undefined, subresource: string) =>
    of?.metadata.managedFields?.find((m) => (m.subresource ?? '') === subresource)?.fieldsV1 as Record<string, JsonObject> | undefined
  assert.ok(fields(a, '') !== undefined)
  assert.equal(fields(a, ''), fields(b, ''))
  const [left, right] = [fields(a, 'status')?.['f:status'], fields(b, 'status')?.['f:status']]
  assert.notDeepEqual(left, right, 'each has an address of its own')
  assert.ok(left?.['f:conditions'] !== undefined)
  assert.equal(left?.['f:conditions'], right?.['f:conditions'])
})
