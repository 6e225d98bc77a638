import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  duplicate,
  type FieldError,
  faultText,
  forbidden,
  goQuote,
  internalFault,
  invalid,
  invalidNamed,
  notFoundValue,
  notSupported,
  notSupportedText,
  reportedFaults,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts'

for (const [text, quoted] of [
  ['a b é 日本 😀 ~', 'a b é 日本 😀 ~'],
  ['"\\', '\\"\\\\'],
  ['\n\t\r\u0007\b\f\v', '\\n\\t\\r\\a\\b\\f\\v'],
  ['\u0000\u001f\u007f', '\\x00\\x1f\\x7f'],
  // What is not printable: control and format characters, spaces other than U+0020, private and unassigned ones.
  ['\u0085\u009f\u00a0\u00ad', '\\u0085\\u009f\\u00a0\\u00ad'],
  ['\u200b\u2028\u2029\u3000\ufeff', '\\u200b\\u2028\\u2029\\u3000\\ufeff'],
  ['\ue000\uffff\u{e0001}\u{10ffff}', '\\ue000\\uffff\\U000e0001\\U0010ffff'],
  // Combining marks are printable.
  ['e\u0301', 'e\u0301'],
  ['\ud800x', '\ufffdx'],
  ['\ufffd', '\ufffd'],
] as const)
  test(`Go quotes ${JSON.stringify(text)} as ${quoted}`, () => assert.equal(goQuote(text), `"${quoted}"`))

test('a quoted text is one line of printable characters, and means the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const quoted = goQuote(text)
      assert.match(quoted, /^"[ \p{L}\p{M}\p{N}\p{P}\p{S}]*"$/u)
      const json = quoted.replace(/\\(\\|x([0-9a-f]{2})|U([0-9a-f]{8})|[av])/g, (all, kind: string, byte?: string, astral?: string) => {
        if (byte !== undefined) return `\\u00${byte}`
        if (astral !== undefined) return String.fromCodePoint(Number.parseInt(astral, 16))
        return { a: '\\u0007', v: '\\u000b' }[kind] ?? all
      })
      assert.equal(JSON.parse(json), text.toWellFormed())
    }),
    { numRuns: 2000 },
  )
})

const many = (count: number, value: string): FieldError[] => Array.from({ length: count }, (_, i) => invalid(`a[${i}]`, value, 'bad'))

test('an answer reports the first thousand faults', () => {
  assert.equal(reportedFaults(many(999, 'x')).length, 999)
  const reported = reportedFaults(many(100_000, 'x'))
  assert.equal(reported.length, 1000)
  assert.deepEqual(reported[999], { type: 'FieldValueInvalid', field: 'a[999]', message: 'Invalid value: "x": bad' })
})

test('an answer reports a million characters of faults, and the one that exceeds them', () => {
  assert.equal(reportedFaults(many(15_000, 'x'.repeat(300_000))).length, 4)
})

test('the message of a fault that is not reported is never made', () => {
  let shown = 0
  const value = {
    toJSON: () => {
      shown++
      return 'x'
    },
  }
  reportedFaults(Array.from({ length: 5000 }, () => invalid('a', value, '')))
  assert.equal(shown, 1000)
})

test('each fault has the words of Kubernetes', () => {
  const rows: readonly (readonly [FieldError, string])[] = [
    [required('a'), 'a: Required value'],
    [required('a', 'why'), 'a: Required value: why'],
    [invalid('a', 1, ''), 'a: Invalid value: 1'],
    [typeInvalid('a', 'x', 'why'), 'a: Invalid value: "x": why'],
    [duplicate('a', { b: 1 }), 'a: Duplicate value: {"b":1}'],
    [notFoundValue('a', 'x'), 'a: Not found: "x"'],
    [forbidden('a', 'why'), 'a: Forbidden: why'],
    [notSupported('a', 'x', ['y', 'z']), 'a: Unsupported value: "x": supported values: "y", "z"'],
    [notSupported('a', 'x', []), 'a: Unsupported value: "x"'],
    [notSupported('a', '<\u007f', ['<']), 'a: Unsupported value: "\\u003c\u007f": supported values: "<"'],
    [notSupportedText('a', '<\u007f', ['<']), 'a: Unsupported value: "<\\x7f": supported values: "<"'],
    [invalidNamed('a', '&', 'why'), 'a: Invalid value: "\\u0026": why'],
    [invalid('a', '&', 'why'), 'a: Invalid value: "&": why'],
    [tooLong('a', 1), 'a: Too long: may not be more than 1 byte'],
    [tooLong('a', 2), 'a: Too long: may not be more than 2 bytes'],
    [tooLong('a', -1), 'a: Too long: value is too long'],
    [tooMany('a', 3, 1), 'a: Too many: 3: must have at most 1 item'],
    [tooMany('a', 3, 2), 'a: Too many: 3: must have at most 2 items'],
    [internalFault('', 'why'), '<nil>: Internal error: why'],
  ]
  for (const [fault, text] of rows) assert.equal(faultText(fault), text)
})
