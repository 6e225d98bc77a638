/** Which faults follow from a recording: `KIND: WHAT`, in the order in which they are tried. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planCrashes } from './plan-crashes.ts'
import { planFaults } from './plan-faults.ts'
import { planReleases } from './plan-releases.ts'
import { planSecondCrashes } from './plan-second-crashes.ts'
import { planStaleViews } from './plan-stale-views.ts'
import { planWriteFaults } from './plan-write-faults.ts'
import type { FaultPlan, HeldFault, PlannedFault } from './planned-fault.ts'
import { recordingOf, type ShortStep, sample } from './recording.double.ts'

const create = (...happens: readonly string[]): ShortStep => ({
  name: 'create',
  apply: [sample(1)],
  happens: ['user create databases d 1', ...happens],
})
const resize = (size: number, ...happens: readonly string[]): ShortStep => ({
  name: `size ${size}`,
  apply: [sample(size)],
  happens: [`user update databases d ${size}`, ...happens],
})
const remove = (...happens: readonly string[]): ShortStep => ({
  name: 'delete',
  remove: [sample(1)],
  happens: ['user delete databases d', ...happens],
})

const whats = (faults: readonly PlannedFault[]) => faults.map(({ kind, what }) => `${kind}: ${what}`)
const planned = ({ faults }: FaultPlan) => whats(faults)

for (const [name, steps, expected] of [
  [
    'of points between which nothing changed, the last one',
    [create('create configmaps a 1', 'create configmaps b 1')],
    [
      'crash: killed before its write 1 (create configmaps default/a)',
      'crash: killed before its write 2 (create configmaps default/b)',
      'crash: killed after its write 2 (create configmaps default/b)',
    ],
  ],
  [
    'a write that is refused is no point of its own',
    [create('refused create configmaps a 1', 'create configmaps b 1')],
    ['crash: killed before its write 2 (create configmaps default/b)', 'crash: killed after its write 2 (create configmaps default/b)'],
  ],
  ['an operator that writes nothing', [create()], []],
] as const)
  test(`crashes: ${name}`, () => assert.deepEqual(planned(planCrashes(recordingOf(steps))), expected))

test('crashes of one cause interrupt the same writes at the same point, in whatever step', () => {
  const { faults } = planCrashes(
    recordingOf([create('create configmaps a 1'), remove('delete configmaps a'), create('create configmaps a 1')]),
  )
  const causes = faults.map(({ step, cause }) => [step, cause] as const)
  assert.deepEqual(
    causes.filter(([step]) => step === 0).map(([, cause]) => cause),
    causes.filter(([step]) => step === 2).map(([, cause]) => cause),
  )
})

const VIEW = (step: string, write: string) => `stale: restarted after ${step} on the view that led to "${write}" in step 2`
for (const [name, steps, expected] of [
  [
    'what was deleted, and is there again',
    [create('create configmaps a 1'), remove('delete configmaps a'), create('create configmaps a 1')],
    [
      VIEW('step 3 (create)', 'delete configmaps default/a'),
      `${VIEW('step 3 (create)', 'delete configmaps default/a')} (configmaps alone)`,
      `${VIEW('step 3 (create)', 'delete configmaps default/a')} (databases.example.com alone)`,
    ],
  ],
  [
    'what was made smaller, and is as large again',
    [create('create configmaps a 2'), resize(1, 'update configmaps a 1'), resize(2, 'update configmaps a 2')],
    [
      VIEW('step 3 (size 2)', 'update configmaps default/a'),
      `${VIEW('step 3 (size 2)', 'update configmaps default/a')} (configmaps alone)`,
      `${VIEW('step 3 (size 2)', 'update configmaps default/a')} (databases.example.com alone)`,
    ],
  ],
  ['what was deleted, and stays away', [create('create configmaps a 1'), remove('delete configmaps a'), create()], []],
  ['what only grows', [create('create configmaps a 1'), resize(2, 'update configmaps a 2'), resize(3, 'update configmaps a 3')], []],
] as const)
  test(`stale views: ${name}`, () => assert.deepEqual(planned(planStaleViews(recordingOf(steps))), expected))

const ofKind = (steps: readonly ShortStep[], kind: PlannedFault['kind']) =>
  whats(planFaults(recordingOf(steps)).faults.filter((f) => f.kind === kind))

test('events: those of each kind that a step changes come last, unless it removes the object', () =>
  assert.deepEqual(ofKind([create('create configmaps a 1'), remove('delete configmaps a')], 'order'), [
    'order: events of databases.example.com come last in step 1 (create)',
    'order: events of configmaps come last in step 1 (create)',
    'order: events of configmaps come last in step 2 (delete)',
  ]))

test('events: those of the sample lag behind the own write to it', () =>
  assert.ok(
    ofKind([create('update databases d 1')], 'order').includes(
      'order: events of databases.example.com lag behind its own write in step 1 (create)',
    ),
  ))

for (const [name, steps, expected] of [
  [
    'a step that the next one undoes is never seen',
    [create(), resize(2, 'create configmaps a 2'), resize(1, 'delete configmaps a')],
    ['unobserved: step 2 (size 2) is never seen in databases.example.com', 'unobserved: step 2 (size 2) is never seen in configmaps'],
  ],
  ['a step that stays is seen', [create(), resize(2), resize(3)], []],
] as const)
  test(`events: ${name}`, () => assert.deepEqual(ofKind(steps, 'unobserved'), expected))

for (const [name, steps, kind, expected] of [
  [
    'each may fail',
    [create('create configmaps a 1', 'update configmaps a 2')],
    'error',
    ['create configmaps default/a', 'update configmaps default/a'],
  ],
  ['one that is refused need not fail', [create('refused create configmaps a 1')], 'error', []],
  [
    'one that changes an object may meet a conflict',
    [create('create configmaps a 1', 'update configmaps a 2')],
    'conflict',
    ['update configmaps default/a'],
  ],
  ['one may arrive after the next step', [create('create configmaps a 1'), remove()], 'late', ['create configmaps default/a']],
  ['there is no next step', [create('create configmaps a 1')], 'late', []],
  ['what is made anew waits for what is deleted', [create(), remove('delete configmaps a'), create()], 'late', []],
  [
    'of many of one kind four are tried',
    [create(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((map) => `create configmaps ${map} 1`))],
    'error',
    ['a', 'c', 'e', 'g'].map((map) => `create configmaps default/${map}`),
  ],
] as const)
  test(`writes: ${name}`, () => {
    const { faults } = planWriteFaults(recordingOf(steps))
    assert.deepEqual(
      faults.flatMap((fault) => (fault.kind === kind && 'write' in fault ? [fault.write] : [])),
      expected,
    )
  })

test('writes: the same text, written twice in a step, has one cause', () => {
  const { faults } = planWriteFaults(recordingOf([create('update configmaps a 1', 'update configmaps a 2')]))
  assert.deepEqual(
    faults.map((fault) => [fault.kind, 'after' in fault && fault.after]),
    [
      ['error', 0],
      ['conflict', 0],
    ],
  )
})

const held = (step: ShortStep): HeldFault => {
  const faults = planFaults(recordingOf([step])).faults
  const lagging = faults.find((f): f is HeldFault => f.kind === 'order' && f.fromWrite === true)
  assert.ok(lagging)
  return lagging
}

test('releases: events that lag reach the operator before each other write that it sends meanwhile', () => {
  const fault = held(create('update databases d 1'))
  const { history } = recordingOf([
    create('create configmaps a 1', 'update databases d 1', 'create configmaps b 1', 'delete configmaps c', 'create configmaps b 1'),
  ])
  assert.deepEqual(
    planReleases(fault, history).map(({ untilWrite, what }) => [untilWrite, what.split(', ')[1]]),
    [
      [1, 'until create configmaps default/b'],
      [2, 'until delete configmaps default/c'],
    ],
  )
})

test('releases: none follow from a release, or from events that lag from the beginning', () => {
  const fault = held(create('update databases d 1'))
  const { history } = recordingOf([create('update databases d 1', 'create configmaps b 1')])
  const { fromWrite: _, ...fromStart } = fault
  assert.deepEqual(planReleases({ ...fault, untilWrite: 1 }, history), [])
  assert.deepEqual(planReleases(fromStart, history), [])
})

for (const [name, recovery, expected] of [
  ['it only goes on: there is no new state', ['create configmaps b 1'], []],
  [
    'it does something else',
    ['delete configmaps a', 'create configmaps b 1'],
    [
      ', and again before delete configmaps default/a',
      ', and again before create configmaps default/b',
      ', and again after create configmaps default/b',
    ],
  ],
] as const)
  test(`second crashes: ${name}`, () => {
    const usual = recordingOf([create('create configmaps a 1', 'create configmaps b 1')])
    const [, first] = planCrashes(usual).faults
    assert.ok(first?.kind === 'crash')
    const tried = recordingOf([{ ...create(), happens: recovery }])
    const second = planSecondCrashes(first, { history: tried.history, recovery: tried.writePoints }, usual.history)
    assert.deepEqual(
      second.map(({ what }) => what.slice(first.what.length)),
      expected,
    )
  })
