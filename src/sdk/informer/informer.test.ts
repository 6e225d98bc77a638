import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ApiCall, Client } from '../client/client.ts'
import { createClient } from '../client/create-client.ts'
import { memoryTransport } from '../client/memory/memory-transport.ts'
import { createInformer } from './create-informer.ts'

const pod = (name: string, nodeName = ''): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName, containers: [] },
})
const inDefault = { ...PODS, namespace: 'default' }

function setUp(intercept = (_: ApiCall) => {}) {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const transport = memoryTransport({ clock, random })
  transport.intercept = intercept
  const client = createClient(transport)
  const informer = createInformer({ client, target: PODS, clock, random, indexers: { node: (p) => [p.spec.nodeName ?? ''] } })
  const seen: string[] = []
  informer.addHandler({
    added: (o) => seen.push(`+${o.metadata.name}`),
    updated: (o) => seen.push(`~${o.metadata.name}`),
    deleted: (o) => seen.push(`-${o.metadata.name}`),
  })
  const stop = new AbortController()
  return { clock, transport, client, informer, seen, stop, running: informer.run(stop.signal) }
}

test('lists, then follows changes, and finds objects by index', async () => {
  const { clock, client, informer, seen, stop, running } = setUp()
  await client.create(inDefault, pod('a', 'n1'))
  await informer.synced
  const b = await client.create(inDefault, pod('b', 'n1'))
  await client.update({ ...inDefault, name: 'b' }, { ...b, spec: { ...b.spec, nodeName: 'n2' } })
  await client.delete({ ...inDefault, name: 'a' })
  await clock.advance(1)
  assert.deepEqual(seen, ['+a', '+b', '~b', '-a'])
  assert.deepEqual(informer.byIndex('node', 'n1'), [])
  assert.equal(informer.byIndex('node', 'n2')[0]?.metadata.name, 'b')
  assert.equal(informer.get('default/b')?.spec.nodeName, 'n2')
  stop.abort()
  await running
})

test('after a gap in history it lists again and reports the difference', async () => {
  const { clock, transport, client, informer, seen, stop, running } = setUp()
  await client.create(inDefault, pod('a'))
  await informer.synced
  await clock.advance(1)
  transport.intercept = (call) => {
    if (call.verb === 'watch') throw new StatusError({ code: 410, reason: 'Expired', message: 'gone' })
  }
  transport.breakWatches()
  await client.delete({ ...inDefault, name: 'a' })
  await client.create(inDefault, pod('b'))
  transport.intercept = () => {}
  await clock.advance(60_000)
  assert.deepEqual(seen.toSorted(), ['+a', '+b', '-a'])
  stop.abort()
  await running
})

test('an unavailable server is retried with growing waits', async () => {
  let calls = 0
  const { clock, transport, informer, stop, running } = setUp(() => {
    calls++
    throw new StatusError({ code: 503, message: 'away' })
  })
  await clock.advance(120_000)
  assert.ok(calls > 4 && calls < 12, String(calls))
  assert.equal(informer.hasSynced, false)
  transport.intercept = () => {}
  await clock.advance(60_000)
  assert.equal(informer.hasSynced, true)
  stop.abort()
  await running
})

test('a handler that throws affects no other', async () => {
  const { client, informer, seen, stop, running, clock } = setUp()
  informer.addHandler({
    added: () => {
      throw new Error('mine')
    },
  })
  await client.create(inDefault, pod('a'))
  await informer.synced
  await clock.advance(1)
  assert.deepEqual(seen, ['+a'])
  stop.abort()
  await running
})

test('objects of a list say what they are, also where the server leaves that to the list', async () => {
  const clock = new VirtualClock()
  const client = createClient(memoryTransport({ clock, random: seededRandom(1) }))
  await client.create(inDefault, pod('a'))
  const bare: Client['list'] = async (target, options) => {
    const list = await client.list(target, options)
    const items = list.items.map(({ kind: _kind, apiVersion: _version, ...rest }) => rest)
    return { ...list, kind: 'PodList', apiVersion: 'v1', items } as never
  }
  const informer = createInformer({ client: { ...client, list: bare }, target: PODS, clock, random: seededRandom(1) })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  await informer.synced
  assert.deepEqual([informer.get('default/a')?.kind, informer.get('default/a')?.apiVersion], ['Pod', 'v1'])
  stop.abort()
  await running
})
