import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { StatusError } from '../machinery/status-error.ts'
import * as refs from '../resources/refs.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { bindPod, evictPod, getScale, patchStatus, requestToken, setScale, updateStatus } from '../sdk/client/subresources.ts'
import { createInformer } from '../sdk/informer/create-informer.ts'
import { configMap, customResourceDefinition, deployment, namespace, node, pod, secret, service } from './builders.ts'
import { faultyTransport } from './faulty-transport.ts'
import { startCluster } from './start-cluster.ts'
import { waitFor } from './wait-for.ts'

const DEFAULT = { namespace: 'default' }

test('what the builders make is accepted as it is', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await client.create({ ...refs.SERVICE_ACCOUNTS, ...DEFAULT }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
  const strict = { fieldValidation: 'Strict' } as const
  const made = [
    [refs.PODS, pod('p', { image: 'done', command: ['true'], resources: { cpu: '1', 'example.com/dongle': '1' } })],
    [refs.DEPLOYMENTS, deployment('d', { replicas: 3, metadata: { labels: { a: 'b' } } })],
    [refs.CONFIG_MAPS, configMap('c', { a: '1' })],
    [refs.SECRETS, secret('s', { a: '1' })],
    [refs.SERVICES, service('v', { app: 'd' })],
  ] as const
  for (const [ref, object] of made) await client.create({ ...ref, ...DEFAULT }, object, strict)
  await client.create(refs.NAMESPACES, namespace('n'), strict)
  await client.create(refs.NODES, node('one', { allocatable: { 'example.com/dongle': '4' } }), strict)
  await updateStatus(client, { ...refs.NODES, name: 'one' }, node('one', { allocatable: { 'example.com/dongle': '4' } }))
  assert.equal((await client.get({ ...refs.NODES, name: 'one' })).status?.allocatable?.['example.com/dongle'], '4')
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition({ group: 'example.com', kind: 'Gadget' }), strict)
  const gadgets = { group: 'example.com', version: 'v1', resource: 'gadgets', ...DEFAULT }
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 3 } }
  await waitFor(() => client.create(gadgets, gadget))
  await patchStatus(client, { ...gadgets, name: 'g' }, 'merge', { status: { ready: true } })
  assert.deepEqual((await client.get({ ...gadgets, name: 'g' })).status, { ready: true })
})

test('the subresources of pods, deployments and service accounts have functions of their own', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const account = { ...DEFAULT, name: 'default' }
  await client.create({ ...refs.SERVICE_ACCOUNTS, ...DEFAULT }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
  await client.create({ ...refs.DEPLOYMENTS, ...DEFAULT }, deployment('web'))
  const web = { ...refs.DEPLOYMENTS, ...DEFAULT, name: 'web' }
  await setScale(client, web, 5)
  assert.equal((await getScale(client, web)).spec?.replicas, 5)
  await client.create({ ...refs.PODS, ...DEFAULT }, pod('p'))
  await bindPod(client, { ...DEFAULT, name: 'p' }, 'node-x')
  assert.equal((await client.get({ ...refs.PODS, ...DEFAULT, name: 'p' })).spec.nodeName, 'node-x')
  await assert.rejects(bindPod(client, { ...DEFAULT, name: 'p' }, 'node-y'), (e) => e instanceof StatusError && e.code === 409)
  await evictPod(client, { ...DEFAULT, name: 'p' }, { gracePeriodSeconds: 0 })
  assert.match((await requestToken(client, account)).token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
})

test('waitFor advances a virtual clock, and reports what did not come and why', async () => {
  const clock = new VirtualClock()
  const began = clock.now()
  assert.equal(await waitFor(() => clock.now() - began >= 5000 && 'there', { clock }), 'there')
  assert.equal(await waitFor(() => clock.sleep(500).then(() => 'slept'), { clock }), 'slept')
  const never = waitFor(() => Promise.reject(new Error('not yet')), { clock, timeoutMs: 100, what: 'the pod' })
  await assert.rejects(
    never,
    (e) => e instanceof Error && e.message === 'the pod did not come within 100 ms' && (e.cause as Error).message === 'not yet',
  )
})

test('a faulty transport fails, loses, delays, hangs and breaks as configured', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock })
  const transport = faultyTransport(cluster.transport(), { clock })
  const client = createClient(transport)
  const maps = { ...refs.CONFIG_MAPS, ...DEFAULT }
  transport.add({ when: (call) => call.verb === 'create', times: 1, outcome: 'fail' })
  await assert.rejects(client.create(maps, configMap('a')), (e) => e instanceof StatusError && e.code === 503)
  await assert.rejects(client.get({ ...maps, name: 'a' }), (e) => e instanceof StatusError && e.code === 404)
  transport.add({ when: (call) => call.verb === 'create', times: 1, outcome: 'lose' })
  await assert.rejects(client.create(maps, configMap('a')), (e) => e instanceof StatusError && e.code === 503)
  assert.equal((await client.get({ ...maps, name: 'a' })).metadata.name, 'a')
  const remove = transport.add({ delayMs: 5000 })
  const late = client.get({ ...maps, name: 'a' })
  const began = clock.now()
  await clock.advance(5000)
  assert.equal((await late).metadata.name, 'a')
  assert.equal(clock.now() - began, 5000)
  remove()
  transport.add({ times: 1, outcome: 'hang' })
  const stop = new AbortController()
  const hanging = client.list(maps, { signal: stop.signal })
  stop.abort(new Error('enough'))
  await assert.rejects(hanging, /enough/)

  const informer = createInformer({ client, target: maps, clock })
  const end = new AbortController()
  const running = informer.run(end.signal)
  await clock.advance(100)
  transport.breakWatches()
  await client.create(maps, configMap('b'))
  await clock.advance(60_000)
  assert.ok(informer.get('default/b'))
  assert.ok(transport.calls.filter((c) => c.verb === 'watch').length > 1)
  end.abort()
  await running
})
