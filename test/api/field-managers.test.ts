/** Parts that are processes of their own write as Kubernetes' programs do. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { openNodeCredentials } from '../../src/cluster/nodes/node-credentials.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { NODES, PODS, REPLICA_SETS } from '../../src/resources/refs.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { duringCommand } from '../during-command.ts'

const here = { namespace: 'default' }
const managersOf = (object: KubeObject) => object.metadata.managedFields?.map(({ manager }) => manager) ?? []

async function world(t: { after(fn: () => void): void }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-managers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const cluster = await startCluster({ parts: ['server'] })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  return { cluster, client: cluster.client(), kubeconfig, folder, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

test('bowsprit controllers writes as kube-controller-manager, bowsprit scheduler as kube-scheduler', async (t) => {
  await using on = await world(t)
  const { client, kubeconfig } = on
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await client.create(
    { ...REPLICA_SETS, ...here },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'r' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'a' } }, template },
    },
  )
  const pod = async () => (await client.list({ ...PODS, ...here })).items[0]
  await duringCommand(['controllers', '--kubeconfig', kubeconfig], async () => {
    const made = await waitFor(pod, { timeoutMs: 30_000 })
    assert.deepEqual(managersOf(made), ['kube-controller-manager'])
  })
  await duringCommand(['scheduler', '--no-leader-elect', '--kubeconfig', kubeconfig], async () => {
    const seen = await waitFor(
      async () => {
        const now = await pod()
        return now?.status?.conditions === undefined ? undefined : now
      },
      { timeoutMs: 30_000 },
    )
    assert.deepEqual(managersOf(seen), ['kube-controller-manager', 'kube-scheduler'])
  })
})

test('a node agent writes as the kubelet', async (t) => {
  await using on = await world(t)
  const config = { nodeName: 'n', kubeconfig: on.kubeconfig, certDir: on.folder, rotates: false, bootstrapKubeconfig: undefined }
  const deps = { clock: systemClock, random: systemRandom(), log: silentLogger }
  await using credentials = await openNodeCredentials(config, deps, new AbortController().signal)
  const node = await createClient(credentials.transport).create(NODES, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { a: 'b' } },
  })
  assert.deepEqual(managersOf(node), ['kubelet'])
})
