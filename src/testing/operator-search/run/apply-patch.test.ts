import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch } from './apply-patch.ts'

for (const [name, before, now, patch] of [
  ['a field is changed', { spec: { a: 1, b: 2 } }, { spec: { a: 3, b: 2 } }, { spec: { a: 3 } }],
  ['a field is unset', { spec: { a: 1 } }, { spec: {} }, { spec: { a: null } }],
  ['a part is switched on', { spec: {} }, { spec: { tls: {} } }, { spec: { tls: {} } }],
  ['a list is replaced', { spec: { a: [1, 2] } }, { spec: { a: [1] } }, { spec: { a: [1] } }],
  ['nothing changes', { spec: { a: { b: 1 } } }, { spec: { a: { b: 1 } } }, {}],
  ['null means something', { spec: { a: 1 } }, { spec: { a: null } }, undefined],
] as const)
  test(`what is applied: ${name}`, () => assert.deepEqual(applyPatch(before, now), patch))
