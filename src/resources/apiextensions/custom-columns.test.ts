import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject, type Json } from '../../machinery/object.ts'
import { customColumns } from './custom-columns.ts'

for (const [type, value, cell] of [
  ['string', ['x', 'y'], '["x","y"]'],
  ['string', { b: 1, a: '<' }, '{"a":"\\u003c","b":1}'],
  ['string', null, '<no value>'],
  ['string', 1.5, '1.5'],
  ['integer', 2.9, 2],
  ['integer', 1e21, -(2 ** 63)],
  ['integer', null, null],
  ['boolean', 'x', null],
] as const satisfies readonly (readonly [string, Json, string | number | null])[])
  test(`${JSON.stringify(value)} in a column of ${type} is ${JSON.stringify(cell)}`, () => {
    const [, column] = customColumns([{ name: 'c', type, jsonPath: '.v' }])
    assert.equal(column?.cell(asKubeObject({ metadata: {}, v: value }), 0), cell)
  })
