import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManager, installKinds, kinds, targetOf } from 'bowsprit/sdk'
import { startCluster, waitFor } from 'bowsprit/testing'
import { gadgets } from '../src/controller.ts'
import { Gadget } from '../src/kind.ts'

const at = (name: string) => ({ name, namespace: 'default' })

test('a Gadget gets its servers, and tells when they are ready', async () => {
  await using cluster = await startCluster({ nodes: 2 })
  const client = cluster.client()
  await installKinds(client, [Gadget])
  const stop = new AbortController()
  const running = createManager({ client, controllers: [gadgets] }).run(stop.signal)
  try {
    await client.create({ ...Gadget.ref, namespace: 'default' }, Gadget.object({ name: 'hello' }, { replicas: 2, message: 'hi' }))
    const ready = await waitFor(async () => {
      const found = await client.get(targetOf(Gadget, at('hello')))
      return found.status?.readyReplicas === 2 && found.status.conditions?.[0]
    })
    assert.deepEqual([ready.type, ready.status], ['Ready', 'True'])

    // What somebody changes by hand is mended.
    await client.patch(targetOf(kinds.CONFIG_MAP, at('hello-settings')), 'merge', { data: { message: 'wrong' } })
    await waitFor(async () => (await client.get(targetOf(kinds.CONFIG_MAP, at('hello-settings')))).data?.message === 'hi')

    // What it owns goes with it.
    await client.delete(targetOf(Gadget, at('hello')))
    await waitFor(async () => (await client.list({ ...kinds.DEPLOYMENT.ref, namespace: 'default' })).items.length === 0)
  } finally {
    stop.abort()
    await running
  }
})

test('a Gadget without a message is refused', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await installKinds(client, [Gadget])
  const target = { ...Gadget.ref, namespace: 'default' }
  await assert.rejects(client.create(target, Gadget.object({ name: 'hello' }, { message: '' })), /spec\.message/)
})
