import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { NODES } from '../../resources/refs.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { memoryTransport } from '../../sdk/client/memory/memory-transport.ts'
import type { RecordedEvent } from '../../sdk/controller/event-recorder.ts'
import { createSimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE } from './node-object.ts'
import { NodeStatusManager } from './node-status-manager.ts'

test('a lease of 40 s is renewed every 10 s, and every 20 s while pods have many updates', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const transport = memoryTransport({ clock, random })
  const runtime = createSimulatedRuntime({ clock, random, podSubnets: ['10.9.8.'] })
  const ids = { machineId: 'm', bootId: 'b' }
  const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids }
  const events = { record: () => {}, run: async () => {}, flush: async () => {} }
  let crowded = false
  const client = createClient(transport)
  const keeper = new NodeStatusManager(identity, { client, clock, log: silentLogger, events, sources: [], runtime, crowded: () => crowded })
  await keeper.register()
  const stop = new AbortController()
  const running = keeper.run(stop.signal)
  const within = async (spanMs: number) => {
    const before = transport.calls.length
    await clock.advance(spanMs)
    return transport.calls.slice(before).filter((c) => c.target.resource === 'leases').length
  }
  assert.equal(await within(60_500), 6)
  crowded = true
  assert.equal(await within(60_000), 3)
  crowded = false
  assert.equal(await within(60_000), 6)
  stop.abort()
  await clock.advance(1000)
  await running
})

for (const [machine, takeUp, expected] of [
  ['a machine that went on without its agent', () => {}, ['Starting']],
  [
    'a machine that was rebooted',
    undefined,
    ['Starting', 'NodeAllocatableEnforced', 'Rebooted', 'NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'],
  ],
] as const)
  test(`the second agent of ${machine} records ${expected.join(', ')}`, async () => {
    const clock = new VirtualClock()
    const random = seededRandom(1)
    const client = createClient(memoryTransport({ clock, random }))
    const runtime = createSimulatedRuntime({ clock, random, podSubnets: ['10.9.8.'] })
    const reasons: string[] = []
    const events = { record: ({ reason }: RecordedEvent) => void reasons.push(reason), run: async () => {}, flush: async () => {} }
    for (const bootId of ['b', 'c']) {
      reasons.length = 0
      const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids: { machineId: 'm', bootId } }
      const deps = { client, clock, log: silentLogger, events, sources: [], runtime }
      await new NodeStatusManager({ ...identity, ...(takeUp && { takeUp }) }, deps).register()
    }
    assert.deepEqual(reasons, expected)
  })

test('an amount that the server stores in another form is not reported again and again', async () => {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const transport = memoryTransport({ clock, random })
  const client = createClient(transport)
  const runtime = createSimulatedRuntime({ clock, random, podSubnets: ['10.9.8.'] })
  const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids: { machineId: 'm', bootId: 'b' } }
  const events = { record: () => {}, run: async () => {}, flush: async () => {} }
  const source = { capacity: () => ({ 'example.com/bytes': '96636764000' }) }
  const keeper = new NodeStatusManager(identity, { client, clock, log: silentLogger, events, sources: [source], runtime })
  await keeper.register()
  const target = { ...NODES, name: 'node-1', subresource: 'status' }
  const canonical = { 'example.com/bytes': '96636764k' }
  keeper.observe(await client.patch(target, 'merge', { status: { capacity: canonical, allocatable: canonical } }))
  const stop = new AbortController()
  const running = keeper.run(stop.signal)
  const before = transport.calls.length
  await clock.advance(30_000)
  assert.equal(transport.calls.slice(before).filter((call) => call.target.resource === 'nodes').length, 0)
  stop.abort()
  await clock.advance(1000)
  await running
})
