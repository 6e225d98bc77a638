import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CsvError, parseCsv } from './go-csv.ts'

test('what is written by the rules is read as it was', () => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'é', ';') })
  const records = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
  fc.assert(
    fc.property(records, (given) => {
      const text = given.map((record) => `${record.map((f) => `"${f.replaceAll('"', '""')}"`).join(',')}\n`).join('')
      assert.deepEqual(parseCsv(text), given)
    }),
  )
})

test('any text is read, or refused as CSV', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }), (text) => {
      try {
        for (const record of parseCsv(text)) assert.ok(record.length > 0)
      } catch (error) {
        assert.ok(error instanceof CsvError)
      }
    }),
  )
})

for (const [text, expected] of [
  [
    'a,b\n\n c ,"d ""x"",\ny"\r\n',
    [
      ['a', 'b'],
      [' c ', 'd "x",\ny'],
    ],
  ],
  ['a,', [['a', '']]],
  ['', []],
] as const) {
  test(`records of ${JSON.stringify(text)}`, () => assert.deepEqual(parseCsv(text), expected))
}

for (const [text, message] of [
  ['a"b,c,d\n', 'parse error on line 1, column 2: bare " in non-quoted-field'],
  ['"a,b,c\n', 'parse error on line 1, column 8: extraneous or missing " in quoted-field'],
  ['"a"x,b,c\n', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
  ['ok,u,1\nx,"a\nb"y,b\n', 'record on line 2; parse error on line 3, column 2: extraneous or missing " in quoted-field'],
] as const) {
  test(`Go’s words for ${JSON.stringify(text)}`, () => assert.throws(() => parseCsv(text), { message }))
}
