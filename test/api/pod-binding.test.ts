import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneJson } from '../../src/machinery/object.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Binding } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

test('a binding writes a new state of its pod, and leaves the one before it as it was', async () => {
  await using cluster = await startCluster({ parts: ['server'] }, { freeze: false })
  const client = cluster.client()
  const core = { group: '', version: 'v1' }
  const pods = { ...PODS, namespace: 'default' }
  const metadata = { name: 'web', labels: { app: 'web' }, annotations: { of: 'pod' } }
  const spec = { containers: [{ name: 'main', image: 'a' }], serviceAccountName: 'own', automountServiceAccountToken: false }
  await client.create(
    { ...core, resource: 'serviceaccounts', namespace: 'default' },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'own' },
    },
  )
  const before = await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec })
  const copy = cloneJson(before)
  await client.create<Binding>(
    { ...core, resource: 'pods', namespace: 'default', name: 'web', subresource: 'binding' },
    {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'web', labels: { app: 'no', more: 'yes' }, annotations: { of: 'binding' } },
      target: { kind: 'Node', name: 'node-1' },
    },
  )
  const after = await client.get({ ...pods, name: 'web' })
  assert.deepEqual(before, copy)
  assert.equal(after.spec.nodeName, 'node-1')
  assert.deepEqual(after.metadata.labels, { app: 'no', more: 'yes' })
  assert.deepEqual(after.metadata.annotations, { of: 'binding' })
  assert.deepEqual(
    after.status?.conditions?.map((c) => `${c.type} ${c.status}`),
    ['PodScheduled True'],
  )
  const { nodeName: _, ...rest } = after.spec
  assert.deepEqual(rest, copy.spec)
})

test('a binding on condition of an older revision is refused', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const core = { group: '', version: 'v1', namespace: 'default' }
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'own' } }
  await client.create({ ...core, resource: 'serviceaccounts' }, account)
  const spec = { containers: [{ name: 'main', image: 'a' }], serviceAccountName: 'own', automountServiceAccountToken: false }
  const pod = await client.create({ ...PODS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec })
  const binding = client.create<Binding>(
    { ...core, resource: 'pods', name: 'web', subresource: 'binding' },
    { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'web', resourceVersion: '1' }, target: { kind: 'Node', name: 'node-1' } },
  )
  const { resourceVersion } = pod.metadata
  await assert.rejects(binding, {
    message: `Operation cannot be fulfilled on pods "web": StorageError: invalid object, Code: 4, Key: /registry/pods/default/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
  })
})
