/** Static pods of simulated nodes in a whole cluster, and docs/static-pods.md as it is copied and pasted. */

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { JsonObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { type Cluster, startCluster, waitFor } from '../../src/testing/testing.ts'
import { walkGuide } from '../walked-guide.ts'

test('docs/static-pods.md works as shown', { timeout: 120_000 }, (t) => walkGuide('static-pods', t))

function openFolder(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'static-pods-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    folder,
    write(name: string, object: object) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), JSON.stringify(object))
    },
    remove: (name: string) => rmSync(path.join(folder, name)),
  }
}

const manifest = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'app' }], ...spec },
})

const at = (name: string, namespace = 'default') => ({ ...PODS, namespace, name })

const find = (client: Client, name: string, namespace?: string): Promise<Pod | undefined> =>
  client.get(at(name, namespace)).catch((error) => {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  })

const ready = (pod: Pod | undefined) => pod?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true

const untilReady = (cluster: Cluster, name: string, namespace?: string) =>
  waitFor(async () => {
    const pod = await find(cluster.client(), name, namespace)
    return ready(pod) ? pod : undefined
  })

const containerOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.containerID

test('every node runs what lies in the folder, and what lies in the folder of its name', async (t) => {
  const { folder, write } = openFolder(t)
  write('both.json', manifest('both'))
  write('node-2/own.json', manifest('own'))
  await using cluster = await startCluster({ nodes: 2, staticPodPath: folder })
  for (const name of ['both-node-1', 'both-node-2', 'own-node-2']) assert.ok(await untilReady(cluster, name))
  assert.equal((await cluster.client().list({ ...PODS, namespace: 'default' })).items.length, 3)
})

test('a mirror is owned by its node, carries the annotations, and reaches the log of the pod', async (t) => {
  const { folder, write } = openFolder(t)
  write(
    'a.json',
    manifest(
      'a',
      { containers: [{ name: 'main', image: 'app', command: ['sh', '-c', 'echo hello; sleep 3600'] }] },
      { labels: { app: 'a' }, annotations: { own: 'yes' } },
    ),
  )
  await using cluster = await startCluster({ nodes: 1, staticPodPath: folder })
  const mirror = await untilReady(cluster, 'a-node-1')
  const node = await cluster.client().get({ ...NODES, name: 'node-1' })
  assert.deepEqual(mirror.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: node.metadata.uid, controller: true },
  ])
  const { annotations = {} } = mirror.metadata
  assert.equal(annotations.own, 'yes')
  assert.equal(annotations['kubernetes.io/config.source'], 'file')
  assert.match(annotations['kubernetes.io/config.hash'] ?? '', /^[0-9a-f]{32}$/)
  assert.equal(annotations['kubernetes.io/config.mirror'], annotations['kubernetes.io/config.hash'])
  assert.deepEqual(mirror.metadata.labels, { app: 'a' })
  assert.equal(mirror.spec.serviceAccountName, undefined)
  assert.equal(mirror.status?.observedGeneration, undefined)
  let log = ''
  for await (const chunk of await cluster.client().logs({ namespace: 'default', name: 'a-node-1' })) log += Buffer.from(chunk)
  assert.match(log, /hello/)
  await using session = await cluster.client().exec({ namespace: 'default', name: 'a-node-1' }, ['echo', 'inside'])
  let said = ''
  for await (const chunk of session.stdout) said += Buffer.from(chunk)
  assert.equal(said, 'inside\n')
})

test('a mirror pod is created when its namespace is, and again after a forced deletion', async (t) => {
  const { folder, write } = openFolder(t)
  write('a.json', manifest('a', {}, { namespace: 'late' }))
  await using cluster = await startCluster({ nodes: 1, staticPodPath: folder })
  const client = cluster.client()
  await client.create(
    { group: '', version: 'v1', resource: 'namespaces' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } },
  )
  const first = await waitFor(async () => find(client, 'a-node-1', 'late'), { timeoutMs: 20_000 })
  const ran = containerOf(await untilReady(cluster, 'a-node-1', 'late'))
  await client.delete(at('a-node-1', 'late'), { gracePeriodSeconds: 0 })
  const again = await untilReady(cluster, 'a-node-1', 'late')
  assert.notEqual(again.metadata.uid, first.metadata.uid)
  assert.equal(containerOf(again), ran)
})

test('static pods outlive the cluster; the mirror pod of a manifest that was removed meanwhile is deleted', async (t) => {
  const { folder, write, remove } = openFolder(t)
  const { folder: dataDir } = openFolder(t)
  write('a.json', manifest('a'))
  write('b.json', manifest('b'))
  const options = { nodes: 1, staticPodPath: folder, dataDir }
  let before: Pod
  {
    await using cluster = await startCluster(options)
    before = await untilReady(cluster, 'a-node-1')
    await untilReady(cluster, 'b-node-1')
  }
  remove('b.json')
  await using cluster = await startCluster(options)
  await waitFor(async () => (await find(cluster.client(), 'b-node-1')) === undefined)
  const after = await untilReady(cluster, 'a-node-1')
  assert.equal(after.metadata.uid, before.metadata.uid)
  assert.deepEqual(
    [containerOf(after), after.status?.containerStatuses?.[0]?.restartCount, after.status?.startTime],
    [containerOf(before), 0, before.status?.startTime],
  )
})

test('a URL gives pods too; they stay while it does not respond, and go when it returns none', async (t) => {
  let answer: { status: number; body: string } = { status: 200, body: '' }
  const requested: (string | undefined)[] = []
  const server = http.createServer((request, response) => {
    requested.push(request.headers['x-token'] as string | undefined)
    response.writeHead(answer.status).end(answer.body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items })
  answer = { status: 200, body: list(manifest('a'), manifest('b')) }
  const kubeletConfig = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    staticPodURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    staticPodURLHeader: { 'X-Token': ['secret'] },
    httpCheckFrequency: '50ms',
  }
  await using cluster = await startCluster({ nodes: 1, kubeletConfig })
  const mirror = await untilReady(cluster, 'a-node-1')
  await untilReady(cluster, 'b-node-1')
  assert.equal(mirror.metadata.annotations?.['kubernetes.io/config.source'], 'http')
  assert.equal(requested[0], 'secret')
  answer = { status: 500, body: '' }
  const seen = requested.length
  await waitFor(async () => requested.length > seen + 3)
  assert.ok(await find(cluster.client(), 'a-node-1'))
  answer = { status: 200, body: list(manifest('b')) }
  await waitFor(async () => (await find(cluster.client(), 'a-node-1')) === undefined)
  assert.ok(await find(cluster.client(), 'b-node-1'))
})

test('an invalid URL is refused with its option', async () => {
  await assert.rejects(startCluster({ nodes: 1, staticPodUrl: 'ftp://x/' }), /--static-pod-url: "ftp:\/\/x\/" is no http or https URL/)
})
