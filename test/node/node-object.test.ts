import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import { CORE_EVENTS, LEASES, NODES } from '../../src/resources/refs.ts'
import type { Node } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { upstream } from '../upstream.ts'

const recording = path.join(upstream, 'node', 'node-object.json')

/** The shape of an object: the path of every value, lists by their first element. */
function paths(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [at] : paths(value[0], `${at}[]`)
  if (value !== null && typeof value === 'object') return Object.entries(value).flatMap(([k, v]) => paths(v, `${at}.${k}`))
  return [at]
}

const settled = (client: Client) =>
  waitFor(async () => {
    const node = await client.get({ ...NODES, name: 'node-1' })
    return node.spec?.taints === undefined ? node : undefined
  })

test('a node registers as the real kubelet does', async () => {
  const wanted = JSON.parse(readFileSync(recording, 'utf8')) as {
    node: Node
    lease: KubeObject
    events: { type: string; reason: string; message: string }[]
  }
  await using cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  const node = await settled(client)
  // This node has a disk, and its runtime reports its features; the recorded one, on a fake runtime, did not, and had no pod CIDR.
  const shape = (o: KubeObject) =>
    paths({ ...o, metadata: { ...o.metadata, managedFields: undefined } })
      .filter((p) => !/ephemeral-storage|managedFields|status\.features|^\.spec/.test(p))
      .sort()
  assert.deepEqual(shape(node), shape(wanted.node))
  const conditions = (o: Node) => o.status?.conditions?.map((c) => [c.type, c.status, c.reason, c.message])
  assert.deepEqual(conditions(node), conditions(wanted.node))

  const lease = await waitFor(() => client.get({ ...LEASES, namespace: 'kube-node-lease', name: 'node-1' }))
  assert.deepEqual(shape(lease), shape(wanted.lease))

  // Warnings about the recorded machine (cgroup v1, no disk) are left out.
  const said = [...new Set(wanted.events.filter((e) => e.type === 'Normal').map((e) => `${e.reason}: ${e.message}`))].sort()
  // The recorded kubelet was configured to enforce nothing.
  const unsaid = 'NodeAllocatableEnforced'
  const got = await waitFor(async () => {
    const { items } = await client.list(CORE_EVENTS, { fieldSelector: 'involvedObject.kind=Node' })
    // The node controller checks for new nodes every five seconds.
    return items.some((e) => e.reason === 'RegisteredNode') && items.length >= said.length ? items : undefined
  })
  assert.deepEqual([...new Set(got.filter((e) => e.reason !== unsaid).map((e) => `${e.reason}: ${e.message}`))].sort(), said)
})

test('an amount that is patched into capacity is copied to allocatable, and removed with it', async () => {
  await using cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  await settled(client)
  const target = { ...NODES, name: 'node-1', subresource: 'status' }
  await client.patch(target, 'json', [{ op: 'add', path: '/status/capacity/example.com~1dongle', value: '4' }])
  const has = (amount: string | undefined) =>
    waitFor(async () => {
      const node = await client.get({ ...NODES, name: 'node-1' })
      return node.status?.allocatable?.['example.com/dongle'] === amount ? node : undefined
    })
  assert.equal((await has('4')).status?.capacity?.['example.com/dongle'], '4')
  await client.patch(target, 'json', [{ op: 'remove', path: '/status/capacity/example.com~1dongle' }])
  assert.equal((await has(undefined)).status?.capacity?.['example.com/dongle'], undefined)
})
