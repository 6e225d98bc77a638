import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../machinery/status-error.ts'
import { parseFlag, parseInt64, parseUint16s } from './go-values.ts'

for (const [text, value] of [
  ['0', 0],
  ['-5', -5],
  ['+5', 5],
  ['007', 7],
  ['9223372036854775807', Number(2n ** 63n)],
  ['-9223372036854775808', -Number(2n ** 63n)],
] as const)
  test(`${text} is the number ${value}`, () => assert.equal(parseInt64(text), value))

for (const [text, why] of [
  ['', 'invalid syntax'],
  ['1.0', 'invalid syntax'],
  ['1e3', 'invalid syntax'],
  [' 1', 'invalid syntax'],
  ['0x1', 'invalid syntax'],
  ['9223372036854775808', 'value out of range'],
  ['-9223372036854775809', 'value out of range'],
] as const)
  test(`${JSON.stringify(text)} is no number: ${why}`, () =>
    assert.throws(
      () => parseInt64(text),
      (e) => isStatus(e, 'BadRequest') && e.message === `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`,
    ))

for (const [text, flag] of [
  [undefined, false],
  ['', true],
  ['0', false],
  ['false', false],
  ['FALSE', false],
  ['1', true],
  ['no', true],
] as const)
  test(`the flag ${JSON.stringify(text)} is ${flag}`, () => assert.equal(parseFlag(text), flag))

test('numbers of a query may be separated by commas', () => {
  assert.deepEqual(parseUint16s(['80,443', '65535']), [80, 443, 65_535])
  for (const [text, why] of [
    ['x', 'invalid syntax'],
    ['', 'invalid syntax'],
    ['65536', 'value out of range'],
  ] as const)
    assert.throws(
      () => parseUint16s([text]),
      (e) =>
        isStatus(e, 'BadRequest') && e.message === `cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
    )
})
