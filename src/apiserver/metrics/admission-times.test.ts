import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import { observedPlugins } from '../admission/observed-plugins.ts'
import type { AdmissionRequest } from '../admission/plugin.ts'
import { AdmissionTimes } from './admission-times.ts'

const REQUEST = { operation: 'CREATE' } as AdmissionRequest

/** The sums and counts of all series. */
const sums = (times: AdmissionTimes) =>
  exposition(times.families())
    .split('\n')
    .filter((line) => /_(sum|count)\{/.test(line))

test('metrics: admission plugins are timed by whether they refused', async () => {
  let nowMs = 0
  const times = new AdmissionTimes(() => nowMs)
  const plugin = {
    name: 'Strict',
    handles: () => true,
    mutate: () => {
      nowMs += 30
    },
    validate: () => {
      throw new Error('no')
    },
  }
  const [timed] = observedPlugins([plugin], [times.plugins], () => nowMs)
  await timed?.mutate?.(REQUEST)
  assert.throws(() => timed?.validate?.(REQUEST), /no/)
  const name = 'apiserver_admission_controller_admission_duration_seconds'
  assert.deepEqual(sums(times), [
    `${name}_sum{name="Strict",operation="CREATE",rejected="false",type="admit"} 0.03`,
    `${name}_count{name="Strict",operation="CREATE",rejected="false",type="admit"} 1`,
    `${name}_sum{name="Strict",operation="CREATE",rejected="true",type="validate"} 0`,
    `${name}_count{name="Strict",operation="CREATE",rejected="true",type="validate"} 1`,
  ])
})

test('metrics: the steps of admission are timed by operation and by whether one refused', () => {
  let nowMs = 0
  const times = new AdmissionTimes(() => nowMs)
  const begun = times.begin()
  nowMs = 20
  times.end(begun, 'admit', 'CREATE', false)
  times.end(begun, 'validate', 'DELETE', true)
  const name = 'apiserver_admission_step_admission_duration_seconds'
  assert.deepEqual(sums(times), [
    `${name}_sum{operation="CREATE",rejected="false",type="admit"} 0.02`,
    `${name}_count{operation="CREATE",rejected="false",type="admit"} 1`,
    `${name}_sum{operation="DELETE",rejected="true",type="validate"} 0.02`,
    `${name}_count{operation="DELETE",rejected="true",type="validate"} 1`,
  ])
})
