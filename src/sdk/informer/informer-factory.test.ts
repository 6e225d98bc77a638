import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import { createClient } from '../client/create-client.ts'
import { memoryTransport } from '../client/memory/memory-transport.ts'
import type { Informer, InformerConfig } from './informer.ts'
import { createInformerFactory } from './informer-factory.ts'

const inDefault = { ...PODS, namespace: 'default' }
const pod = (name: string): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [] } })

function setUp() {
  const clock = new VirtualClock()
  const transport = memoryTransport({ clock, random: seededRandom(1) })
  const client = createClient(transport)
  const informers = createInformerFactory({ client, clock, random: seededRandom(1) })
  const calls = (verb: string) => transport.calls.filter((call) => call.verb === verb).length
  /** An informer with its own end, which notes what its handler was called with. */
  const run = (config: Partial<InformerConfig<Pod>> = {}) => {
    const informer: Informer<Pod> = informers.informer({ target: PODS, ...config })
    const seen: string[] = []
    informer.addHandler({
      added: (o) => seen.push(`+${o.metadata.name}`),
      updated: (o) => seen.push(`~${o.metadata.name}`),
      deleted: (o) => seen.push(`-${o.metadata.name}`),
    })
    const stop = new AbortController()
    return { informer, seen, stop, running: informer.run(stop.signal) }
  }
  return { clock, transport, client, calls, run }
}

test('informers of a collection share one list, one watch and its objects, and each gets every event', async () => {
  const { clock, client, calls, run } = setUp()
  await client.create(inDefault, pod('a'))
  const first = run()
  await first.informer.synced
  const second = run()
  assert.deepEqual([second.seen, second.informer.hasSynced], [['+a'], true])
  await client.create(inDefault, pod('b'))
  await client.delete({ ...inDefault, name: 'a' })
  await clock.advance(1)
  assert.deepEqual(first.seen, ['+a', '+b', '-a'])
  assert.deepEqual(second.seen, first.seen)
  assert.equal(first.informer.get('default/b'), second.informer.get('default/b'))
  assert.deepEqual([calls('list'), calls('watch')], [1, 1])
  for (const { stop, running } of [first, second]) {
    stop.abort()
    await running
  }
})

test('the end of one informer ends no other; after the last one the collection is read anew', async () => {
  const { clock, client, calls, run } = setUp()
  const [first, second] = [run(), run()]
  await second.informer.synced
  first.stop.abort()
  await first.running
  await client.create(inDefault, pod('a'))
  await clock.advance(1)
  assert.deepEqual([first.seen, second.seen], [[], ['+a']])
  second.stop.abort()
  await second.running
  const third = run()
  await third.informer.synced
  assert.deepEqual([third.seen, calls('list')], [['+a'], 2])
  third.stop.abort()
  await third.running
})

test('other selectors are other copies', async () => {
  const { client, calls, run } = setUp()
  await client.create(inDefault, pod('a'))
  await client.create(inDefault, pod('b'))
  const all = run()
  const one = run({ fieldSelector: 'metadata.name=b' })
  await Promise.all([all.informer.synced, one.informer.synced])
  assert.deepEqual([all.seen, one.seen, calls('list')], [['+a', '+b'], ['+b'], 2])
  for (const { stop, running } of [all, one]) {
    stop.abort()
    await running
  }
})

test('each informer has its own indexes, by its own names, whenever it begins', async () => {
  const { clock, client, run } = setUp()
  await client.create(inDefault, pod('a'))
  const byName = run({ indexers: { same: (p) => [p.metadata.name ?? ''] } })
  await byName.informer.synced
  const byKind = run({ indexers: { same: (p) => [p.kind] } })
  await client.create(inDefault, pod('b'))
  await clock.advance(1)
  const names = (found: readonly Readonly<Pod>[]) => found.map((p) => p.metadata.name)
  assert.deepEqual(names(byName.informer.byIndex('same', 'b')), ['b'])
  assert.deepEqual(names(byKind.informer.byIndex('same', 'Pod')), ['a', 'b'])
  assert.deepEqual(names(byKind.informer.byIndex('namespace', 'default')), ['a', 'b'])
  assert.throws(() => byKind.informer.byIndex('other', 'b'), /has no index other/)
  for (const { stop, running } of [byName, byKind]) {
    stop.abort()
    await running
  }
})

test('a resource that is missing counts as empty for those alone that expect it', async () => {
  const { clock, transport, run } = setUp()
  transport.intercept = () => {
    throw new StatusError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' })
  }
  const [strict, optional] = [run(), run({ optional: true })]
  await optional.informer.synced
  assert.deepEqual([strict.informer.hasSynced, run({ optional: true }).informer.hasSynced], [false, true])
  transport.intercept = () => {}
  await clock.advance(60_000)
  assert.equal(strict.informer.hasSynced, true)
  strict.stop.abort()
  optional.stop.abort()
  await strict.running
})

test('a handler that starts an informer of the same collection sees each object once', async () => {
  const { clock, client, run } = setUp()
  const first = run()
  await first.informer.synced
  const later: ReturnType<typeof run>[] = []
  first.informer.addHandler({ added: () => void later.push(run()) })
  await client.create(inDefault, pod('a'))
  await clock.advance(1)
  assert.deepEqual(
    later.map(({ seen }) => seen),
    [['+a']],
  )
  for (const { stop, running } of [first, ...later]) {
    stop.abort()
    await running
  }
})
