import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject, type Json } from '../../machinery/object.ts'
import { customColumns } from './custom-columns.ts'

const show = (value: Json) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value))

for (const [type, value, cell] of [
  ['string', ['x', 'y'], '["x","y"]'],
  ['string', { b: 1, a: '<' }, '{"a":"\\u003c","b":1}'],
  ['string', null, '<no value>'],
  ['string', 1.5, '1.5'],
  ['integer', 2.9, 2],
  ['integer', 1e21, -(2n ** 63n)],
  ['integer', 2n ** 63n - 1n, 2n ** 63n - 1n],
  ['integer', null, null],
  ['boolean', 'x', null],
  ['date', '', '<unknown>'],
  ['date', '0001-01-01T00:00:00Z', '<unknown>'],
  ['date', 'x', '<invalid>'],
  ['date', null, null],
] as const satisfies readonly (readonly [string, Json, string | number | bigint | null])[])
  test(`${show(value)} in a column of ${type} is ${show(cell)}`, () => {
    const [, column] = customColumns([{ name: 'c', type, jsonPath: '.v' }])
    assert.equal(column?.cell(asKubeObject({ metadata: {}, v: value }), 0), cell)
  })
