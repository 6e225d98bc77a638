import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../field-error.ts'
import type { ObjectMeta } from '../object.ts'
import { validateLabelSelector } from './label-selector.ts'
import {
  type MetadataChecks,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateUpdatedMeta,
} from './object-meta.ts'
import { labelName } from './object-name.ts'

/** The first words of each fault. */
const faults = (meta: ObjectMeta, namespaced = true) =>
  validateObjectMeta({ name: 'a', namespace: 'b', ...meta }, { namespaced }).map((f) => faultText(f).slice(0, 60))

for (const [manager, found] of [
  ['kubectl client-side/é', []],
  ['a'.repeat(128), []],
  ['a'.repeat(129), ['m: Too long: may not be more than 128 bytes']],
  ['é'.repeat(65), ['m: Too long: may not be more than 128 bytes']],
  ['a\tb', ['m: Invalid value: "a\\tb": invalid character U+0009 (at position 1)']],
  [
    'é\u2028\u0000',
    [
      'm: Invalid value: "é\\u2028\\x00": invalid character U+2028 (at position 2)',
      'm: Invalid value: "é\\u2028\\x00": invalid character U+0000 (at position 5)',
    ],
  ],
] as const)
  test(`the field manager ${JSON.stringify(manager)} has ${found.length} faults`, () =>
    assert.deepEqual(validateFieldManager(manager, 'm').map(faultText), found))

test('metadata is checked as a whole', () => {
  const table: [meta: ObjectMeta, told: string[]][] = [
    [{}, []],
    [{ name: '' }, ['metadata.name: Required value: name or generateName is requi']],
    [{ name: 'A' }, ['metadata.name: Invalid value: "A": a lowercase RFC 1123 subd']],
    [{ name: 'a-' }, ['metadata.name: Invalid value: "a-": a lowercase RFC 1123 sub']],
    [{ generateName: 'a-' }, []],
    [{ generateName: 'x-' }, []],
    [{ generateName: 'XY-' }, ['metadata.generateName: Invalid value: "XY-": a lowercase RFC']],
    [{ namespace: '' }, ['metadata.namespace: Required value']],
    [{ generation: -1 }, ['metadata.generation: Invalid value: -1: must be greater than']],
    [{ labels: { 'a b': 'c' } }, ['metadata.labels: Invalid value: "a b": name part must consis']],
    [{ annotations: { 'Example.COM/x': 'c' } }, []],
    [{ annotations: { a: 'x'.repeat(262144) } }, ['metadata.annotations: Too long: may not be more than 262144 ']],
    [{ finalizers: ['orphan', 'foregroundDeletion'] }, ['metadata.finalizers: Invalid value: ["orphan","foregroundDel']],
    [
      { ownerReferences: [{ apiVersion: '', kind: 'K', name: 'n', uid: 'u' }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "": vers'],
    ],
    [{ managedFields: [{ operation: 'Nope' as 'Apply' }] }, ['metadata.managedFields[0].operation: Invalid value: "Nope": ']],
  ]
  for (const [meta, reported] of table) assert.deepEqual(faults(meta), reported, JSON.stringify(meta).slice(0, 60))
  assert.deepEqual(faults({}, false), ['metadata.namespace: Forbidden: not allowed on this type'])
  assert.equal(labelName('a.b', false)[0], 'must not contain dots')
})

test('an update may not change who the object is, nor add finalizers while it goes', () => {
  const old: ObjectMeta = { name: 'a', uid: 'u', resourceVersion: '1', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] }
  const reported = validateObjectMetaUpdate({ ...old, uid: 'v', finalizers: ['x/y', 'x/z'] }, old).map(faultText)
  assert.deepEqual(reported, [
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/z"}',
    'metadata.uid: Invalid value: "v": field is immutable',
  ])
})

test('a label selector is checked requirement by requirement', () => {
  const selector = {
    matchExpressions: [
      { key: 'a', operator: 'In' },
      { key: 'b', operator: 'Exists', values: ['x'] },
      { key: '', operator: 'Near' },
    ],
  }
  assert.deepEqual(
    validateLabelSelector(selector, 'spec').map((f) => f.field),
    [
      'spec.matchExpressions[0].values',
      'spec.matchExpressions[1].values',
      'spec.matchExpressions[2].operator',
      'spec.matchExpressions[2].key',
      'spec.matchExpressions[2].key',
    ],
  )
})

test('faults of an update are reported as often as the kind checks its metadata', () => {
  const old = { name: 'a', uid: 'u' }
  const changed = { name: 'a', uid: 'v', labels: { '-': 'x' } }
  const table = { not: [2, 1], 'as-update': [3, 2], whole: [3, 1], 'twice-whole': [4, 1], 'also-whole': [4, 2] } as const
  for (const [again, counts] of Object.entries(table) as [MetadataChecks, readonly number[]][]) {
    const fields = validateUpdatedMeta(changed, old, { namespaced: false, again, finalizers: () => [] }).map(({ field }) => field)
    const count = (name: string) => fields.filter((field) => field === name).length
    assert.deepEqual([count('metadata.labels'), count('metadata.uid')], counts, again)
  }
})
