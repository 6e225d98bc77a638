import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { EVENTS, NODES, PODS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { Node, Pod } from '../../src/resources/types/core.ts'
import type { Client, ResourceRef } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { upstream } from '../upstream.ts'
import { targetOf } from './scheduler-objects.ts'

/** The recorded scheduler scenarios with server and scheduler: objects are created, decisions are read from the API. */
const file = path.join(upstream, 'scheduler', 'scenarios.json')

interface Expect {
  readonly pod: string
  readonly node?: string | null
  readonly anyOf?: readonly string[]
  readonly message?: string
  readonly event?: string
  readonly nominated?: string
  readonly victims?: readonly string[]
  readonly after?: readonly string[]
}

interface Scenario {
  readonly id: string
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly existing?: readonly Pod[]
  readonly extra?: readonly { readonly path: string; readonly body: KubeObject }[]
  readonly then?: readonly { readonly method: string; readonly path: string; readonly body?: KubeObject }[]
  readonly config?: JsonObject
  readonly watchPod?: string
  readonly expect: readonly Expect[]
}

/** The result within two seconds; undefined after that. */
const until = <T>(look: () => Promise<T | undefined>) => waitFor(look, { timeoutMs: 2000, everyMs: 5 }).catch(() => undefined)

/** The pod when it has a node; or when it was rejected, unless it is expected to get a node later (after its victims are gone). */
const decided = (client: Client, name: string, namespace: string, getsNode: boolean) =>
  until(async () => {
    const pod = await client.get({ ...PODS, namespace, name }).catch(() => undefined)
    if (pod?.spec.nodeName) return pod
    if (getsNode) return undefined
    return pod?.status?.conditions?.some((c: { type: string; reason?: string }) => c.type === 'PodScheduled') ? pod : undefined
  })

/** Creates an object with its status, as a controller or agent would. */
async function create(client: Client, ref: ResourceRef & { readonly namespace?: string }, object: KubeObject): Promise<void> {
  const created = await client.create(ref, object)
  if (object.status === undefined || created.metadata.name === undefined) return
  await client
    .patch({ ...ref, name: created.metadata.name, subresource: 'status' }, 'merge', { status: object.status })
    .catch(() => undefined)
}

const isNode = (object: KubeObject): object is Node => object.kind === 'Node'

/** Admission taints a new node until it is ready; the scenario's own taints replace that. */
async function createNode(client: Client, node: Node): Promise<void> {
  await client.create(NODES, node)
  await client.patch({ ...NODES, name: node.metadata.name ?? '' }, 'merge', { spec: { taints: node.spec?.taints ?? null } })
}

async function setUp(client: Client, scenario: Scenario): Promise<void> {
  const namespaces = new Set([...scenario.pods, ...(scenario.existing ?? [])].map((p) => p.metadata.namespace ?? 'default'))
  for (const namespace of namespaces) {
    await client.create({ ...SERVICE_ACCOUNTS, namespace }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
  }
  for (const { path: url, body } of scenario.extra ?? []) await create(client, targetOf(url), body)
  for (const node of scenario.nodes) await createNode(client, node)
  for (const pod of scenario.existing ?? []) await create(client, { ...PODS, namespace: pod.metadata.namespace ?? 'default' }, pod)
}

/** False if the pod went to another of several equal nodes than in the recording: then later steps may differ. */
async function judge(client: Client, expect: Expect, namespace: string): Promise<boolean> {
  const pod = await decided(client, expect.pod, namespace, typeof expect.node === 'string' || expect.anyOf !== undefined)
  const node = pod?.spec.nodeName ?? null
  if (expect.anyOf !== undefined)
    assert.ok(node !== null && expect.anyOf.includes(node), `${expect.pod} is on ${node}, not on one of ${expect.anyOf}`)
  else if (expect.node !== undefined) assert.equal(node, expect.node, `the node of ${expect.pod}`)
  if (expect.message !== undefined && node === null) {
    assert.equal(pod?.status?.conditions?.find((c) => c.type === 'PodScheduled')?.message, expect.message)
  }
  if (expect.event !== undefined) {
    const event = await until(async () => {
      const { items } = await client.list({ ...EVENTS, namespace })
      return items.find((e) => e.regarding?.name === expect.pod && e.reason === 'FailedScheduling')
    })
    assert.equal(event?.note, expect.event, `the event of ${expect.pod}`)
  }
  return expect.anyOf === undefined || node === expect.node
}

test('every recorded scenario ends the same on a running cluster', async (t) => {
  const scenarios = JSON.parse(readFileSync(file, 'utf8')) as Scenario[]
  for (const scenario of scenarios) {
    await t.test(scenario.id, async () => {
      await using cluster = await startCluster({
        parts: ['server', 'scheduler'],
        ...(scenario.config === undefined ? {} : { schedulerConfig: scenario.config }),
      })
      const client = cluster.client()
      await setUp(client, scenario)
      for (const [i, pod] of scenario.pods.entries()) {
        const namespace = pod.metadata.namespace ?? 'default'
        await client.create({ ...PODS, namespace }, pod)
        const expect = scenario.expect[i]
        if (expect !== undefined && expect.after === undefined && !(await judge(client, expect, namespace))) return
      }
      if (scenario.then === undefined) return
      for (const { method, path: url, body } of scenario.then) {
        const target = targetOf(url)
        if (method === 'DELETE') await client.delete(target, { gracePeriodSeconds: 0 })
        else if (method === 'PATCH') await client.patch(target, 'merge', body ?? {})
        else if (body !== undefined && isNode(body)) await createNode(client, body)
        else if (body !== undefined) await client.create(target, body)
      }
      const last = scenario.expect.at(-1)
      if (last?.after === undefined) return
      const end = await until(async () => {
        const pod = await client.get({ ...PODS, namespace: 'default', name: last.pod }).catch(() => undefined)
        return pod?.spec.nodeName ? pod : undefined
      })
      assert.equal(end?.spec.nodeName ?? null, last.node)
    })
  }
})
