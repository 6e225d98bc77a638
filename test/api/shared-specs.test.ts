import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

test('pods of one owner share their spec, also for interleaved owners, and each keeps its own values', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const core = { group: '', version: 'v1' }
  const pods = { ...PODS, namespace: 'default' }
  await client.create(
    { ...core, resource: 'serviceaccounts', namespace: 'default' },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'own' },
    },
  )
  const create = (owner: string, n: number): Promise<Pod> =>
    client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${owner}-${n}`, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner }] },
      spec: { serviceAccountName: 'own', containers: [{ name: owner, image: `example/${owner}` }] },
    })
  const [web1, db1, web2, db2] = [await create('web', 1), await create('db', 1), await create('web', 2), await create('db', 2)]
  assert.equal(web1.spec, web2.spec)
  assert.equal(db1.spec, db2.spec)
  assert.deepEqual(
    [web2, db2].map(({ spec }) => spec.containers[0]?.image),
    ['example/web', 'example/db'],
  )
  assert.deepEqual(
    web2.spec.containers[0]?.volumeMounts?.map(({ name }) => name),
    web2.spec.volumes?.map(({ name }) => name),
  )
})
