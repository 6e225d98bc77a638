import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import type { Event as CoreEvent } from '../../resources/types/core.ts'
import type { Event } from '../../resources/types/events.ts'
import { createClient } from '../client/create-client.ts'
import { memoryTransport } from '../client/memory/memory-transport.ts'
import { createCoreRecorder } from './core-recorder.ts'
import { createEventGate } from './event-gate.ts'
import { type EventRecorder, type EventRecorderOptions, recorderOver } from './event-recorder.ts'
import { createSeriesRecorder } from './series-recorder.ts'

const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' }

function setUp(make: (options: EventRecorderOptions) => EventRecorder) {
  const clock = new VirtualClock()
  const transport = memoryTransport({ clock, random: seededRandom(1) })
  const recorder = make({ client: createClient(transport), clock, component: 'test', host: 'h' })
  const stop = new AbortController()
  return { clock, transport, recorder, stop, running: recorder.run(stop.signal) }
}

test('a repeated events.k8s.io event becomes a series whatever its note', async () => {
  const { clock, transport, recorder, stop, running } = setUp(createSeriesRecorder)
  for (const message of ['one', 'two']) {
    recorder.record({ regarding, type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message })
    await recorder.flush()
  }
  const [event, ...others] = transport.objects<Event>('events')
  assert.equal(others.length, 0)
  assert.equal(event?.note, 'one')
  assert.equal(event?.series?.count, 2)
  await clock.advance(7 * 60_000)
  recorder.record({ regarding, type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message: 'three' })
  await recorder.flush()
  assert.equal(transport.objects('events').length, 2)
  stop.abort()
  await running
})

test('two recorders that speak of one object at once lose no event', async () => {
  const clock = new VirtualClock()
  const transport = memoryTransport({ clock, random: seededRandom(1) })
  const stop = new AbortController()
  const components = ['persistentvolume-controller', 'bowsprit.dev/simulated', 'kubelet', 'default-scheduler']
  const running = components.map(async (component) => {
    const recorder = createCoreRecorder({ client: createClient(transport), clock, component })
    const run = recorder.run(stop.signal)
    for (const reason of ['One', 'Two']) recorder.record({ regarding, type: 'Normal', reason, message: reason })
    await recorder.flush()
    return run
  })
  await Promise.all(components.map((_, i) => Promise.race([running[i], clock.advance(1)])))
  stop.abort()
  await Promise.all(running)
  assert.equal(transport.objects('events').length, 2 * components.length)
})

test('a repeated core event is counted; many similar ones are combined; the rest is cut off', async () => {
  const { transport, recorder, stop, running } = setUp(createCoreRecorder)
  const say = async (message: string) => {
    recorder.record({ regarding, type: 'Normal', reason: 'Said', message })
    await recorder.flush()
  }
  await say('a')
  await say('a')
  assert.equal(transport.objects<CoreEvent>('events')[0]?.count, 2)
  for (let i = 0; i < 40; i++) await say(`m${i}`)
  const events = transport.objects<CoreEvent>('events')
  assert.equal(events.length, 10)
  assert.match(events.at(-1)?.message ?? '', /^\(combined from similar events\): m/)
  assert.deepEqual(
    [events[0], events.at(-1)].map((event) => [event?.source?.component, event?.reportingComponent]),
    [
      ['test', 'test'],
      ['test', ''],
    ],
  )
  stop.abort()
  await running
})

test('one object has twenty-five core events of a type at once and one more every five minutes, independently of others', async () => {
  const { clock, transport, recorder, stop, running } = setUp(createCoreRecorder)
  const say = async (name: string, count: number, type: 'Normal' | 'Warning' = 'Normal') => {
    for (let i = 0; i < count; i++) {
      const reason = `R${clock.now()}n${i}`
      recorder.record({ regarding: { ...regarding, name, uid: name }, type, reason, message: reason })
    }
    await recorder.flush()
  }
  const reported = (name: string) => transport.objects<CoreEvent>('events').filter((e) => e.involvedObject.name === name).length
  await say('loud', 30)
  assert.equal(reported('loud'), 25)
  for (let i = 0; i < 3; i++) {
    await say(`other-${i}`, 2)
    await clock.advance(300_000)
  }
  await say('loud', 10)
  assert.equal(reported('loud'), 28)
  await clock.advance(10 * 3_600_000)
  await say('other-0', 1)
  await say('loud', 30)
  assert.equal(reported('loud'), 53)
  await say('loud', 30, 'Warning')
  assert.equal(reported('loud'), 78)
  stop.abort()
  await running
})

test('recorders that share a gate have no more requests under way together than it lets in, and send what is left at the end', async () => {
  const gate = createEventGate(3)
  const [stop, clock] = [new AbortController(), new VirtualClock()]
  let underway = 0
  let most = 0
  let sent = 0
  const send = async () => {
    most = Math.max(most, ++underway)
    await clock.sleep(10)
    underway--
    if (++sent % 7 === 0) throw new Error('refused')
  }
  const recorders = Array.from({ length: 4 }, () => recorderOver(send, { gate }))
  const running = recorders.map((r) => r.run(stop.signal))
  for (const r of recorders) for (let i = 0; i < 25; i++) r.record({ regarding, type: 'Normal', reason: 'R', message: String(i) })
  const flushed = Promise.all(recorders.map((r) => r.flush()))
  await clock.advance(1000)
  await flushed
  assert.equal(most, 3)
  assert.equal(sent, 100)
  for (const r of recorders) r.record({ regarding, type: 'Normal', reason: 'R', message: 'last' })
  stop.abort()
  await clock.advance(1000)
  await Promise.all(running)
  assert.equal(sent, 104)
})

test('events that give way go one at a time, in their order, and many at once when nothing is more urgent any more', async () => {
  let urgent = true
  const gate = createEventGate(8, () => urgent)
  const [stop, clock] = [new AbortController(), new VirtualClock()]
  let underway = 0
  let most = 0
  const sent: string[] = []
  const send = async ({ message }: { readonly message: string }) => {
    sent.push(message)
    most = Math.max(most, ++underway)
    await clock.sleep(10)
    underway--
  }
  const recorder = recorderOver(send, { gate })
  const running = recorder.run(stop.signal)
  const messages = Array.from({ length: 60 }, (_, i) => String(i))
  for (const message of messages) recorder.record({ regarding, type: 'Normal', reason: 'R', message })
  await clock.advance(95)
  assert.deepEqual([most, sent.length], [1, 10])
  urgent = false
  await clock.advance(1000)
  assert.deepEqual([most, sent], [8, messages])
  stop.abort()
  await running
})

test('events give way only as long as they are not too many', async () => {
  const gate = createEventGate(8, () => true)
  const [stop, clock] = [new AbortController(), new VirtualClock()]
  let [underway, most, sent] = [0, 0, 0]
  const send = async () => {
    most = Math.max(most, ++underway)
    await clock.sleep(10)
    underway--
    sent++
  }
  const recorders = Array.from({ length: 3 }, () => recorderOver(send, { gate }))
  for (const r of recorders) for (let i = 0; i < 43_600; i++) r.record({ regarding, type: 'Normal', reason: 'R', message: 'm' })
  const running = recorders.map((r) => r.run(stop.signal))
  await clock.advance(300)
  assert.equal(most, 8)
  assert.ok(sent > 200 && sent < 300)
  const before = sent
  for (let i = 0; i < 100; i++) await clock.advance(10)
  assert.ok(sent - before < 900, 'once they are few enough they give way again')
  stop.abort()
  await clock.advance(4_000_000)
  await Promise.all(running)
  assert.equal(sent, 130_800)
})

test('a recorder whose events give way for long loses none, and has one of them begun at a time', async () => {
  const gate = createEventGate(8, () => true)
  const [stop, clock] = [new AbortController(), new VirtualClock()]
  let begun = 0
  const recorder = recorderOver(
    async () => {
      begun++
      await clock.sleep(10)
    },
    { gate, clock, log: { ...silentLogger, warn: (text) => assert.fail(text) } },
  )
  const running = recorder.run(stop.signal)
  for (let i = 0; i < 120_000; i++) recorder.record({ regarding, type: 'Normal', reason: 'Scheduled', message: 'm' })
  await clock.settle()
  assert.equal(begun, 1, 'what waits is a record: nothing is begun for it')
  stop.abort()
  await clock.advance(2_000_000)
  await running
  assert.equal(begun, 120_000)
})

test('what waits is bounded by its weight: one more is dropped, which is logged, and there is room again when some were sent', async () => {
  const [stop, clock] = [new AbortController(), new VirtualClock()]
  const warned: string[] = []
  let sent = 0
  const recorder = recorderOver(async () => void sent++, { clock, log: { ...silentLogger, warn: (text) => warned.push(text) } })
  const message = 'm'.repeat(64 << 20)
  const say = () => recorder.record({ regarding, type: 'Normal', reason: 'Long', message })
  for (let i = 0; i < 5; i++) say()
  assert.equal(warned.length, 1, 'four of 64 MiB and what they weigh themselves are more than fit')
  const running = recorder.run(stop.signal)
  await recorder.flush()
  assert.equal(sent, 3)
  say()
  stop.abort()
  await running
  assert.deepEqual([sent, warned.length], [4, 1])
})

test('a delayed event has the time when it happened, not when it was written', async () => {
  for (const make of [createCoreRecorder, createSeriesRecorder]) {
    const clock = new VirtualClock()
    const transport = memoryTransport({ clock, random: seededRandom(1) })
    const recorder = make({ client: createClient(transport), clock, component: 'test' })
    recorder.record({ regarding, type: 'Normal', reason: 'Said', action: 'Saying', message: 'hello' })
    await clock.advance(90_000)
    const stop = new AbortController()
    const running = recorder.run(stop.signal)
    await recorder.flush()
    const [event] = transport.objects<CoreEvent>('events')
    assert.equal(String(event?.firstTimestamp ?? event?.eventTime).slice(0, 19), '2026-01-01T00:00:00')
    stop.abort()
    await running
  }
})
