import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSchema } from '../../structural/to-schema.ts'
import { typedNode } from './typed-node.ts'
import { fitsType, validateTyped } from './validate-typed.ts'

const TYPE = typedNode(
  toSchema({
    type: 'object',
    properties: {
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string' } } },
      },
      atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    },
  }),
)

test('faults name where they are: members, keys and indices', () => {
  const value = { map: [{ k: 'a', v: 'x' }, { k: 'b', v: {} }, { k: 'a' }], atomic: ['x', {}], other: 1 }
  assert.deepEqual(validateTyped(TYPE, value), [
    '.map[k="b"].v: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}',
    '.map: duplicate entries for key [k="a"]',
    '.atomic[1]: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}',
    '.other: field not declared in schema',
  ])
})

test('no more than a thousand faults are collected', () =>
  assert.equal(validateTyped(TYPE, { set: Array.from({ length: 5000 }, () => 1) }).length, 1000))

test('duplicate items fit a type, and do not hide a fault after them', () => {
  const set = Array.from({ length: 5000 }, () => 1)
  assert.equal(fitsType(TYPE, { set }), true)
  assert.equal(fitsType(TYPE, { set, map: [{ k: 'a', v: 1 }] }), false)
})
