import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectChange, OperatorCall, SearchHistory } from '../history.ts'
import { guiltyMoment, guiltyWrite } from './guilty-moment.ts'
import { timelineText } from './timeline-text.ts'

const MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const CREATE = { verb: 'create', code: 201 } as const
const DELETE = { verb: 'delete', code: 200, name: 'a' } as const
const PATCH = { verb: 'patch', code: 200, name: 'a' } as const

interface Write {
  readonly verb: OperatorCall['verb']
  readonly code: number
  readonly name?: string
  readonly revision?: number
  readonly seen?: number
}

const calls = (writes: readonly Write[]): OperatorCall[] =>
  writes.map(({ verb, code, name, revision, seen }, seq) => ({
    seq,
    life: 1,
    step: 0,
    atMs: seq * 1000,
    verb,
    target: { ...MAPS, namespace: 'default', ...(name && { name }) },
    writes: true,
    code,
    ...(revision && { revision: String(revision) }),
    ...(seen && { seen: new Map([['/configmaps', String(seen)]]) }),
  }))

const change = (type: ObjectChange['type'], name: string, revision: number, data?: Record<string, string>): ObjectChange => ({
  type,
  revision,
  step: 0,
  atMs: revision * 1000,
  key: `ConfigMap default/${name}`,
  ref: MAPS,
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, ...(data && { data }) },
  before: undefined,
})

const WRITES = calls([
  { ...CREATE, revision: 1 },
  { ...CREATE, revision: 2 },
  { ...DELETE, revision: 3, seen: 1 },
  { ...PATCH, revision: 5 },
])
const CHANGES = [
  change('ADDED', 'a', 1, { mode: 'old' }),
  change('MODIFIED', 'a', 2, { mode: 'new' }),
  change('DELETED', 'a', 3),
  change('ADDED', 'a', 4),
]

const symptom = (text: string) => ({ harm: 'wrong', rule: '', text }) as const
const guilty = (text: string, writes = WRITES) => guiltyWrite(symptom(text), writes, CHANGES)?.seq

test('what is deleted was deleted by the last request that deletes it', () => {
  assert.equal(guilty('ConfigMap default/a is deleted twice, not once'), 2)
  assert.equal(guilty('ConfigMap default/a is missing'), 2)
})

test('what is left over was made by the last request that creates it', () => {
  assert.equal(guilty('ConfigMap default/a is left over'), 0)
  assert.equal(guilty('ConfigMap default/a is left over', calls([{ ...CREATE, revision: 4 }, PATCH])), 0)
})

test('another state is that of the last write about the object; an object that was never made has none', () => {
  assert.equal(guilty('ConfigMap default/a: .data.mode is old, not new'), 3)
  assert.equal(guilty('ConfigMap default/b is missing'), undefined)
})

test('where what had been read was not what was true, both are told', () => {
  const { wrote, read } = guiltyMoment(WRITES[2] as OperatorCall, CHANGES)
  assert.equal(wrote, 'delete configmaps default/a → 200')
  assert.deepEqual(read, ['ConfigMap default/a at revision 1, true was revision 2: ConfigMap default/a: .data.mode is old, not new'])
})

const history = (over: Partial<SearchHistory>): SearchHistory => ({
  calls: [],
  changes: [],
  rests: [],
  marks: [],
  refusals: new Map(),
  deaths: [],
  ...over,
})

test('a timeline begins with what the search did, and ends soon after the guilty write', () => {
  const writes = calls([...Array.from({ length: 20 }, (_, i) => ({ ...PATCH, name: `n${i}` })), DELETE, ...Array(9).fill(PATCH)])
  const lines = timelineText(history({ calls: writes, marks: [{ atMs: 0, what: 'killed' }] }), writes[20])
  assert.equal(lines[0], '     0.0 s * killed')
  assert.deepEqual(lines.slice(-2), [
    '    20.0 s > run 1: delete configmaps default/a → 200',
    '    21.0 s   run 1: patch configmaps default/a → 200 (9 times)',
  ])
  assert.equal(lines.length, 13)
})

test('without a guilty write it begins with what the search did last', () => {
  const writes = calls(Array.from({ length: 20 }, (_, i) => ({ ...PATCH, name: `n${i}` })))
  const lines = timelineText(
    history({
      calls: writes,
      marks: [
        { atMs: 4500, what: 'killed' },
        { atMs: 0, what: 'started' },
      ],
    }),
    undefined,
  )
  assert.deepEqual(lines.slice(0, 3), [
    '     0.0 s * started',
    '     4.5 s * killed',
    '     5.0 s   run 1: patch configmaps default/n5 → 200',
  ])
})
