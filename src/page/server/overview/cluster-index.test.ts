import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import * as refs from '../../../resources/refs.ts'
import { configMap } from '../../../testing/builders.ts'
import { startCluster } from '../../../testing/start-cluster.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { KindCatalogue } from '../kinds/kind-catalogue.ts'
import { Collections } from '../rows/collections.ts'
import { ClusterIndex } from './cluster-index.ts'
import { findObjects } from './find-subscription.ts'
import { relationsOf } from './relations-subscription.ts'

test('looks that follow each other at once, as keys are typed, miss no kind', async () => {
  await using cluster = await startCluster({ nodes: 0, parts: ['server'] })
  const client = cluster.client()
  const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
  const owner = await client.create(target, configMap('owner'))
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' }]
  await client.create(target, configMap('owned', {}, { metadata: { name: 'owned', ownerReferences, labels: { Tier: 'Front' } } }))
  const catalogue = new KindCatalogue(client)
  const collections = new Collections({ client, clock: systemClock })
  const index = new ClusterIndex(catalogue, collections)
  for (let i = 0; i < 5; i++) {
    const end = index.look(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    end()
  }
  const end = index.look(() => {})
  await waitFor(() => index.loading === 0 && index.collections.length > 30)
  const found = (text: string) => findObjects(index.collections, text.split(' ')).map(({ kind, name }) => `${kind} ${name}`)
  assert.deepEqual(found('owned'), ['ConfigMap owned'])
  assert.deepEqual(found('tier=front'), ['ConfigMap owned'])
  assert.deepEqual(found('configmap owne'), ['ConfigMap owned', 'ConfigMap owner'])
  const { tree } = relationsOf(index.collections, { ...target, name: 'owned' })
  assert.deepEqual(
    tree.map(({ name, depth, self }) => [name, depth, self]),
    [
      ['owner', 0, false],
      ['owned', 1, true],
    ],
  )
  end()
  collections.stop()
})
