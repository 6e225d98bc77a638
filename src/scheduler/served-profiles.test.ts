import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../base/random.ts'
import type { EventRecorder } from '../sdk/controller/event-recorder.ts'
import { podInfo } from './cache/pod-info.ts'
import { profilesOf } from './config/configuration.ts'
import type { ClusterEvent } from './framework/cluster-event.ts'
import type { Hints, Plugin } from './framework/plugin.ts'
import { clusterOf, pod } from './plugins/plugin-table.double.ts'
import type { QueuedPod } from './queue/scheduling-queue.ts'
import { ServedProfiles } from './served-profiles.ts'

const recorder: EventRecorder = { record() {}, async flush() {}, async run() {} }
const podAdded: ClusterEvent = { kind: 'pod-assigned', pod: pod('other') }
const nodeAdded: ClusterEvent = { kind: 'node-added' }

/** Profiles with plugins of these hints beside the default ones. */
function served(plugins: Readonly<Record<string, Partial<Plugin>>> = {}): ServedProfiles {
  const factories = Object.fromEntries(
    Object.entries(plugins).map(([name, parts]) => [name, (): Plugin => ({ name, scope: 'cluster', filter: () => undefined, ...parts })]),
  )
  const enabled = Object.keys(plugins).map((name) => ({ name }))
  const config = { profiles: [{ schedulerName: 'default-scheduler', plugins: { multiPoint: { enabled } } }] }
  return new ServedProfiles(profilesOf(config, { random: seededRandom(1), plugins: factories }), clusterOf({ nodes: [] }), () => recorder)
}

const rejectedBy = (...plugins: readonly string[]): QueuedPod => ({
  info: podInfo(pod('p')),
  attempts: 1,
  unschedulable: 1,
  errors: 0,
  since: 0,
  serial: 0,
  plugins: new Set(plugins),
  gate: undefined,
  place: 'unschedulable',
  wokenBy: [],
  begun: 0,
  knows: 0,
  changed: undefined,
  triableSince: undefined,
  flushed: false,
})
const hinting = (hints: Hints) => ({ A: { hints } })

test('a pod of another scheduler has no profile', () => {
  const profiles = served()
  assert.notEqual(profiles.of(podInfo(pod('p'))), undefined)
  assert.equal(profiles.of(podInfo(pod('p', { spec: { schedulerName: 'other' } }))), undefined)
  assert.equal(profiles.named('other'), undefined)
})

test('a rejected pod is woken by the events for which its plugins have hints', () => {
  const profiles = served({ A: { hints: { 'node-added': () => true } }, B: { hints: { 'changed/things': () => true } } })
  assert.deepEqual(profiles.wokenBy(rejectedBy('A')), ['node-added'])
  assert.deepEqual(profiles.wokenBy(rejectedBy('A', 'B')), ['node-added', 'changed/things'])
})

for (const [rule, profiles, plugins, event, expected] of [
  ['a hint that says yes', served(hinting({ 'node-added': () => true })), ['A'], nodeAdded, true],
  ['a hint that says no', served(hinting({ 'node-added': () => false })), ['A'], nodeAdded, false],
  ['an event without a hint', served(hinting({ 'node-added': () => true })), ['A'], podAdded, false],
  ['a plugin without hints', served({ A: {} }), ['A'], podAdded, true],
  ['an extender', served(), ['Extender'], podAdded, true],
  ['no plugin at all, and a new node', served(), [], nodeAdded, true],
  ['no plugin at all, and another event', served(), [], podAdded, false],
  ['one yes among several', served({ A: { hints: {} }, B: { hints: { 'node-added': () => true } } }), ['A', 'B'], nodeAdded, true],
  [
    'a change of an object, by its resource',
    served(hinting({ 'changed/things': () => true })),
    ['A'],
    { kind: 'object-changed', resource: 'things' },
    true,
  ],
] as readonly (readonly [string, ServedProfiles, readonly string[], ClusterEvent, boolean])[])
  test(`worth another try? ${rule}: ${expected ? 'yes' : 'no'}`, () => {
    assert.equal(profiles.worthTrying(rejectedBy(...plugins), event), expected)
  })

test('slow hints are awaited, unless another hint queues at once', async () => {
  const late = (answer: boolean): Partial<Plugin> => ({ hints: { 'node-added': async () => answer } })
  const [yes, no] = [served({ A: late(true), B: late(false) }), served({ A: late(false) })]
  assert.equal(await yes.worthTrying(rejectedBy('A', 'B'), nodeAdded), true)
  assert.equal(await no.worthTrying(rejectedBy('A'), nodeAdded), false)
  const mixed = served({ A: late(false), B: { hints: { 'node-added': () => true } } })
  assert.equal(mixed.worthTrying(rejectedBy('A', 'B'), nodeAdded), true)
})

test('the gate is that of the first PreEnqueue plugin that keeps the pod', () => {
  const gated = podInfo(pod('p', { spec: { schedulingGates: [{ name: 'g' }] } }))
  assert.deepEqual(served().gate(gated), {
    plugin: 'SchedulingGates',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  })
  assert.equal(served().gate(podInfo(pod('p'))), undefined)
})

test('pods are sorted by priority, then by how long they wait', () => {
  const profiles = served()
  const queued = (priority: number, since: number, serial = 0) => ({ info: podInfo(pod('p', { spec: { priority } })), since, serial })
  assert.equal(profiles.before(queued(2, 9), queued(1, 0)), true)
  assert.equal(profiles.before(queued(1, 0), queued(1, 9)), true)
  assert.equal(profiles.before(queued(1, 5, 2), queued(1, 5, 1)), false)
})
