import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailedHistory } from './finding.ts'
import { shrink } from './shrink.ts'
import type { WorkStep } from './work-step.ts'

const stepsOf = (names: string): WorkStep[] => [...names].map((name) => ({ name }))
const namesOf = ({ steps }: FailedHistory) => steps.map((s) => s.name).join('')

const failed = (steps: readonly WorkStep[], text = 'ConfigMap default/d is missing'): FailedHistory => ({
  symptoms: [{ harm: 'stuck', rule: 'a fault does not change the end state', text }],
  steps,
  fault: undefined,
  guilty: undefined,
  timeline: [],
})

/** Goes wrong when all of these steps are there, in this order. */
const needs = (names: string, text?: string) =>
  async function* (steps: readonly WorkStep[]) {
    const left = steps.map((s) => s.name).filter((name) => names.includes(name))
    if (left.join('') === names) yield failed(steps, text)
  }

for (const [steps, needed, shortest] of [
  ['abc', 'b', 'b'],
  ['abcd', 'ad', 'ad'],
  ['abc', 'abc', 'abc'],
  ['a', '', 'a'],
] as const)
  test(`${steps} shrinks to ${shortest} where ${needed || 'nothing'} is needed`, async () =>
    assert.equal(namesOf(await shrink(failed(stepsOf(steps)), needs(needed))), shortest))

test('a shorter history with another symptom does not count', async () =>
  assert.equal(namesOf(await shrink(failed(stepsOf('ab')), needs('a', 'Secret default/d is missing'))), 'ab'))
