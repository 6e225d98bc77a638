/** What is wrong after a fault: `HARM: TEXT` for each symptom of a history that differs from the recorded one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planFaults } from '../plan/plan-faults.ts'
import type { PlannedFault } from '../plan/planned-fault.ts'
import { recordingOf, type ShortStep, sample } from '../plan/recording.double.ts'
import { faultSymptoms } from './judge-fault.ts'

const create = (...happens: readonly string[]): ShortStep => ({
  name: 'create',
  apply: [sample(1)],
  happens: ['user create databases d 1', ...happens],
})
const resize = (...happens: readonly string[]): ShortStep => ({
  name: 'resize',
  apply: [sample(2)],
  happens: ['user update databases d 2', ...happens],
})
const remove = (...happens: readonly string[]): ShortStep => ({
  name: 'delete',
  remove: [sample(1)],
  happens: ['user delete databases d', ...happens],
})

const compared = { before: new Set<string>(), samples: new Set(['Database']) }
const judged = (kind: PlannedFault['kind'], usual: readonly ShortStep[], found: readonly ShortStep[]) => {
  const recording = recordingOf(usual)
  const fault = planFaults(recording).faults.find((f) => f.kind === kind)
  assert.ok(fault)
  const symptoms = faultSymptoms({ recording, masked: new Set(), fresh: new Map(), compared }, fault, recordingOf(found).history)
  return symptoms.map(({ harm, text }) => `${harm}: ${text}`)
}

const KEPT = 'create configmaps kept 1'
const MADE = 'create configmaps a 1'
const GONE = 'delete configmaps a'
for (const [name, kind, usual, found, expected] of [
  ['what an error leaves out is missing', 'error', [create(MADE)], [create()], ['stuck: ConfigMap default/a is missing']],
  [
    'an object that is deleted and made again',
    'error',
    [create(MADE)],
    [create(MADE, GONE, MADE)],
    ['wrong: ConfigMap default/a is deleted once, not never'],
  ],
  [
    'what is made late for an object that is gone is left over',
    'late',
    [create(MADE), remove(GONE)],
    [create(), remove(MADE)],
    ['wrong: ConfigMap default/a is left over'],
  ],
  ['what is deleted while it is being made may never be whole', 'late', [create(MADE, KEPT), remove(GONE)], [create(), remove()], []],
  [
    'what the next step does not delete has to come',
    'late',
    [create(MADE), resize('update configmaps a 2')],
    [create(), resize()],
    ['stuck: ConfigMap default/a is missing'],
  ],
  [
    'an old write that arrives late must not stay',
    'late',
    [create(MADE), resize('update configmaps a 2')],
    [create(), resize(MADE)],
    ['wrong: ConfigMap default/a: .spec.size is 1, not 2'],
  ],
] as const)
  test(`judging: ${name}`, () => assert.deepEqual(judged(kind, usual, found), expected))
