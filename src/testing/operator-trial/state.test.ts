import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences, stateOf } from './state.ts'

const map = (name: string, data: Readonly<Record<string, unknown>>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })

for (const [name, was, is, expected] of [
  ['a value', map('a', { x: '1' }), map('a', { x: '2' }), ['ConfigMap a: .data.x is 2, not 1']],
  ['the order of fields in a document', map('a', { x: '{"b":1,"c":2}' }), map('a', { x: '{"c":2,"b":1}' }), []],
  ['a field of a document', map('a', { x: '{"b":1}' }), map('a', { x: '{"b":2}' }), ['ConfigMap a: .data.x.b is 2, not 1']],
  ['a text that only begins like a document', map('a', { x: '{b' }), map('a', { x: '{c' }), ['ConfigMap a: .data.x is {c, not {b']],
  ['a uid in a name', map('pvc-0b1c7a52-9a5e-4d6b-8a1f-1f6a2f0c9d11', {}), map('pvc-77777777-9a5e-4d6b-8a1f-1f6a2f0c9d11', {}), []],
] as const)
  test(`what differs: ${name}`, () => {
    const [before, after] = [was, is].map((object) => stateOf([object], () => true))
    assert.deepEqual(differences(before ?? new Map(), after ?? new Map(), new Set()), expected)
  })
