import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { badRequest } from '../../machinery/status-error.ts'
import { configMap } from '../../testing/builders.ts'
import { observedPlugins } from '../admission/observed-plugins.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/plugin.ts'
import { SentRequest } from '../request/sent-request.double.ts'
import type { RecordedStep } from '../request/trail.ts'
import { recordedSteps } from './recorded-steps.ts'
import { TrailRecorder } from './trail-recorder.ts'

type Change = (request: AdmissionRequest) => void

/** The steps of a create of a config map, through plugins that change it so; `watched`: somebody watches trails. */
function stepsOf(changes: Readonly<Record<string, Change>>, { watched = true, object = configMap('a', { x: '1' }) } = {}) {
  const clock = new VirtualClock()
  const recorder = new TrailRecorder({ clock, random: seededRandom(1) })
  using _ = watched ? recorder.watched() : undefined
  const trail = recorder.begin(new SentRequest('/api/v1/namespaces/default/configmaps', { method: 'POST' }))
  const request = { operation: 'CREATE', object, trail } as unknown as AdmissionRequest
  const plugins = Object.entries(changes).map(([name, mutate]): AdmissionPlugin => ({ name, handles: () => true, mutate }))
  for (const plugin of observedPlugins(plugins, [recordedSteps], () => clock.monotonic()))
    try {
      plugin.mutate?.(request)
    } catch {}
  return trail.steps?.map(({ milliseconds: _, ...step }) => step)
}

const passed = (plugin: string, changes?: RecordedStep['changes']) => ({
  phase: 'mutate',
  plugin,
  outcome: 'passed',
  ...(changes && { changes }),
})

test('each plugin has the values that it changed', () => {
  const steps = stepsOf({
    Nothing: () => {},
    Label: ({ object }) => Object.assign(object?.metadata ?? {}, { labels: { a: 'b' } }),
    Data: ({ object }) => Object.assign(object ?? {}, { data: { x: '2' } }),
  })
  assert.deepEqual(steps, [
    passed('Nothing'),
    passed('Label', [{ path: 'metadata.labels', to: '{"a":"b"}' }]),
    passed('Data', [{ path: 'data.x', from: '"1"', to: '"2"' }]),
  ])
})

test('another order of keys, and members that are undefined, are no changes', () => {
  const steps = stepsOf({
    Order: (request) => {
      const { metadata, ...rest } = request.object ?? configMap('a')
      request.object = { ...rest, metadata, status: undefined }
    },
  })
  assert.deepEqual(steps, [passed('Order')])
})

test('an integer beyond 2^53 is compared exactly', () => {
  const object = { ...configMap('a'), spec: { big: 2n ** 60n } }
  const steps = stepsOf({ Count: ({ object: given }) => Object.assign(given ?? {}, { spec: { big: 2n ** 60n + 1n } }) }, { object })
  assert.deepEqual(steps, [passed('Count', [{ path: 'spec.big', from: '1152921504606846976', to: '1152921504606846977' }])])
})

test('a plugin that refuses is a step with its reason', () => {
  const steps = stepsOf({
    Strict: () => {
      throw badRequest('no')
    },
  })
  assert.deepEqual(steps, [{ phase: 'mutate', plugin: 'Strict', outcome: 'refused', message: 'no' }])
})

test('nothing is recorded while nobody watches, and a heavy object is not compared', () => {
  assert.equal(stepsOf({ Nothing: () => {} }, { watched: false }), undefined)
  const heavy = configMap('a', Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, 'v'])))
  assert.deepEqual(stepsOf({ Data: ({ object }) => Object.assign(object ?? {}, { data: {} }) }, { object: heavy }), [passed('Data')])
})

test('a check that runs at both times is never compared', () => {
  const check = () => {}
  const seen: boolean[] = []
  observedPlugins(
    [{ name: 'Check', handles: () => true, mutate: check, validate: check }],
    [
      ({ checksOnly }) => {
        seen.push(checksOnly)
        return undefined
      },
    ],
    () => 0,
  )
  assert.deepEqual(seen, [true, true, true])
})
