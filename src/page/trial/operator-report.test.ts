import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ShapeError } from './json-shape.ts'
import { readOperatorReport } from './operator-report.ts'

const scene = { calls: [], callsLeftOut: 0, marks: [], objects: [], said: '' }
const trial = {
  command: './operator',
  grade: 'A',
  steps: [{ rule: 'it comes to rest', outcome: 'passed', tookMs: 12, scene }],
  permissions: { minimal: '', used: [], missing: [], unused: [] },
}
const search = { seed: 1, workloads: 1, runs: 1, points: { found: 1, tried: 1, sameState: 0, sameCause: 0 }, findings: [] }

test('a report is known by its fields', () => {
  assert.equal(readOperatorReport(trial).kind, 'trial')
  assert.equal(readOperatorReport(search).kind, 'search')
})

test('what is invisible in a text is made visible; fields that are not known are left out', () => {
  const hostile = JSON.parse(`{"command": "rm \\u202e\\u0000", "__proto__": {"grade": "A"}, "grade": "B", "extra": 1,
    "steps": [], "permissions": {"minimal": "", "used": [], "missing": [], "unused": []}}`)
  const { report } = readOperatorReport(hostile)
  assert.deepEqual(report, {
    command: 'rm \\u202e\\u0000',
    grade: 'B',
    steps: [],
    permissions: trial.permissions,
    undisturbed: undefined,
  })
})

const REFUSED: readonly (readonly [name: string, value: unknown, message: RegExp])[] = [
  ['nothing', null, /the report is not an object/],
  ['a list', [], /the report is not an object/],
  ['another file', { kind: 'List' }, /no report of `bowsprit test-operator --json`/],
  ['an inherited grade', Object.create({ grade: 'A' }), /no report/],
  ['another grade', { ...trial, grade: 'E' }, /grade is none of A, B, C, D, F/],
  ['a rule that is no text', { ...trial, steps: [{ outcome: 'passed', rule: {}, tookMs: 1 }] }, /steps\[0\]\.rule is not a text/],
  [
    'a time that is no number',
    { ...trial, undisturbed: { ...scene, marks: [{ what: 'x', atMs: '1' }] } },
    /undisturbed\.marks\[0\]\.atMs is not a number/,
  ],
  ['permissions that are missing', { ...trial, permissions: undefined }, /permissions is not an object/],
  ['findings that are no list', { ...search, findings: {} }, /findings is not a list/],
]
for (const [name, value, message] of REFUSED)
  test(`refuses ${name}`, () => assert.throws(() => readOperatorReport(value), { name: 'ShapeError', code: 'malformed-json', message }))

test('its errors are its own', () => assert.throws(() => readOperatorReport(1), ShapeError))
