/** The extension points of waiting, sorting, counting and waking, with a plugin module, on a running cluster. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { JsonObject } from '../../src/machinery/object.ts'
import type { SchedulingReport } from '../../src/resources/bowsprit/scheduling-report.ts'
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const inDefault = { ...PODS, namespace: 'default' }
const ONE_PER_GROUP = path.join(import.meta.dirname, 'scheduler-plugins', 'one-per-group.ts')

const using = (module: string, plugins: JsonObject = {}): JsonObject => ({
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 1,
  profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Own' }] }, ...plugins }, pluginConfig: [{ name: 'Own', args: { module } }] }],
})

async function prepare(client: Client, ...nodes: string[]) {
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  )
  for (const name of nodes) {
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
    const allocatable = { cpu: '4', memory: '8Gi', pods: '110' }
    await client.patch({ ...NODES, name }, 'merge', { spec: { taints: null } })
    await client.patch({ ...NODES, name, subresource: 'status' }, 'merge', { status: { capacity: allocatable, allocatable } })
  }
}

const pod = (name: string, labels: Record<string, string> = {}, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'app' }], ...spec },
})

const nodeOf = (client: Client, name: string) => waitFor(async () => (await client.get({ ...inDefault, name })).spec.nodeName)
const report = (client: Client, name: string) =>
  client.get<SchedulingReport>({ group: 'bowsprit.dev', version: 'v1', resource: 'schedulingreports', namespace: 'default', name })
const conditionOf = (client: Client, name: string) =>
  waitFor(async () => (await client.get({ ...inDefault, name })).status?.conditions?.[0]?.message)

test('PreEnqueue keeps a pod out of the queue until the pod changes', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: using(ONE_PER_GROUP) })
  const client = cluster.client()
  await prepare(client, 'n1')
  await client.create(inDefault, pod('held', { approved: 'no' }))
  await client.create(inDefault, pod('free'))
  await nodeOf(client, 'free')
  const held = await waitFor(async () => {
    const found = await report(client, 'held')
    return /waiting for approval/.test(found.summary) && found
  })
  assert.equal(held.summary, 'kept out of the queue by plugin Own: waiting for approval; 1 of 1 nodes would take it')
  assert.equal(held.attempt, undefined)
  await client.patch({ ...inDefault, name: 'held' }, 'merge', { metadata: { labels: { approved: 'yes' } } })
  assert.equal(await nodeOf(client, 'held'), 'n1')
})

test('a pod that the plugin rejected is woken by the event that its hint accepts', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: using(ONE_PER_GROUP) })
  const client = cluster.client()
  await prepare(client, 'n1')
  for (const [name, group] of [
    ['a', 'g'],
    ['b', 'h'],
  ] as const)
    await client.create(inDefault, pod(name, { group }))
  for (const name of ['a', 'b']) await nodeOf(client, name)
  await client.create(inDefault, pod('c', { group: 'g' }))
  assert.match((await conditionOf(client, 'c')) ?? '', /^0\/1 nodes are available: 1 node\(s\) had a pod of the group\./)
  const attempts = async () => (await report(client, 'c')).attempt?.number
  const before = await attempts()
  await client.delete({ ...inDefault, name: 'b' }, { gracePeriodSeconds: 0 })
  // The events that the hint refused were processed when a later pod is placed.
  await client.create(inDefault, pod('later'))
  await nodeOf(client, 'later')
  assert.equal(await attempts(), before)
  await client.delete({ ...inDefault, name: 'a' }, { gracePeriodSeconds: 0 })
  assert.equal(await nodeOf(client, 'c'), 'n1')
})

test("preemption calls the plugin's AddPod and RemovePod: only the pod of the group is evicted", async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: using(ONE_PER_GROUP) })
  const client = cluster.client()
  await prepare(client, 'n1')
  for (const [name, group] of [
    ['a', 'g'],
    ['b', 'h'],
  ] as const)
    await client.create(inDefault, pod(name, { group }))
  for (const name of ['a', 'b']) await nodeOf(client, name)
  await client.create(inDefault, pod('urgent', { group: 'g' }, { priorityClassName: 'system-node-critical' }))
  const gone = await waitFor(
    async () => (await client.get({ ...inDefault, name: 'a' }).catch(() => undefined))?.metadata.deletionTimestamp ?? 'gone',
  )
  assert.ok(gone)
  await client.delete({ ...inDefault, name: 'a' }, { gracePeriodSeconds: 0 }).catch(() => {})
  assert.equal(await nodeOf(client, 'urgent'), 'n1')
  assert.equal((await client.get({ ...inDefault, name: 'b' })).metadata.deletionTimestamp, undefined)
})

test('a module at QueueSort sorts for all profiles, and pods are placed', async () => {
  const sorted = using(ONE_PER_GROUP, { queueSort: { enabled: [{ name: 'Own' }], disabled: [{ name: '*' }] } })
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: sorted })
  const client = cluster.client()
  await prepare(client, 'n1')
  await client.create(inDefault, pod('a', { order: '3' }))
  assert.equal(await nodeOf(client, 'a'), 'n1')
})

test('two concurrent pods of the plugin do not both get the last free unit', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: using(ONE_PER_GROUP) })
  const client = cluster.client()
  await prepare(client, 'n1', 'n2')
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`)
  await Promise.all(names.map((name) => client.create(inDefault, pod(name, { group: 'g' }))))
  const settled = await waitFor(async () => {
    const { items } = await client.list(inDefault)
    return items.every((p) => p.spec.nodeName !== undefined || p.status?.conditions?.[0]?.reason === 'Unschedulable') && items
  })
  const placed = settled.flatMap((p) => p.spec.nodeName ?? [])
  assert.deepEqual(placed.sort(), ['n1', 'n2'])
})

function moduleIn(t: TestContext, text: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'points-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, 'own.mjs'), text)
  return path.join(folder, 'own.mjs')
}

test('PostFilter of a module gives the reason, and a gate that fails or hangs holds only its own pod', async (t) => {
  const module = moduleIn(
    t,
    `export default {
      preEnqueue(pod) {
        if (pod.metadata.name === 'broken') throw new Error('no idea')
        if (pod.metadata.name === 'endless') for (;;);
      },
      postFilter: (pod, nodes) => ({ message: nodes.map((n) => n.name + ' by ' + n.plugin).join() }),
    }`,
  )
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: using(module) })
  const client = cluster.client()
  await prepare(client, 'n1')
  await client.create(inDefault, pod('broken'))
  await waitFor(async () => /plugin "Own" failed: no idea/.test((await report(client, 'broken')).summary))
  await client.create(inDefault, pod('endless'))
  await waitFor(async () => /no answer within 1s/.test((await report(client, 'endless')).summary))
  await client.create(inDefault, pod('picky', {}, { nodeSelector: { disk: 'ssd' } }))
  assert.match((await conditionOf(client, 'picky')) ?? '', /n1 by NodeAffinity/)
  await client.create(inDefault, pod('fine'))
  assert.equal(await nodeOf(client, 'fine'), 'n1')
})
