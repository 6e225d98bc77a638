import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject, type Json } from '../../machinery/object.ts'
import { RowBudget } from '../../machinery/resource/row-budget.ts'
import { customColumns } from './custom-columns.ts'

const show = (value: Json) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value))

for (const [type, value, cell] of [
  ['string', ['x', 'y'], '["x","y"]'],
  ['string', { b: 1, a: '<' }, '{"a":"\\u003c","b":1}'],
  ['string', null, '<no value>'],
  ['string', 1.5, '1.5'],
  ['string', 1e18, '1000000000000000000'],
  ['string', 1e19, '1e+19'],
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

test('the columns of a row share its budget: cells beyond it are empty', () => {
  const object = asKubeObject({ metadata: {}, l: Array.from({ length: 20_000 }, (_, i) => ({ a: `k${i}` })) })
  const cells = (type: string, jsonPath: string) => {
    const columns = customColumns(Array.from({ length: 10 }, (_, i) => ({ name: `c${i}`, type, jsonPath })))
    const row = new RowBudget()
    return columns.slice(1).map((column) => column.cell(object, 0, row))
  }
  const texts = cells('string', '.l')
  assert.equal(typeof texts[0], 'string')
  assert.equal(texts.at(-1), null)
  const found = cells('string', '.l[?(@.a=="k7")].a')
  assert.equal(found[0], 'k7')
  assert.equal(found.at(-1), null)
})
