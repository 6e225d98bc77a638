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
  notFoundValue,
  notSupported,
  reportedFaults,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts'

/** Go's `strconv.Quote`, character by character. */
function naiveQuote(text: string): string {
  const named: Record<string, string> = {
    '\n': 'n',
    '\t': 't',
    '\r': 'r',
    '\u0007': 'a',
    '\b': 'b',
    '\f': 'f',
    '\v': 'v',
    '"': '"',
    '\\': '\\',
  }
  let out = ''
  for (const c of text) {
    const code = c.codePointAt(0) ?? 0
    if (named[c] !== undefined) out += `\\${named[c]}`
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`
    else if (code === 0xfeff || (code >= 0x80 && code < 0xa0)) out += `\\u${code.toString(16).padStart(4, '0')}`
    else out += c
  }
  return `"${out}"`
}

test('quoting is Go’s', () => {
  assert.equal(goQuote('a"\\\n\u0007\u007f\u0085\ufeffé😀'), '"a\\"\\\\\\n\\a\\x7f\\u0085\\ufeffé😀"')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // Go writes U+007F as \x7f and what lies above with \u, which is what the characters of the second block are told by.
      assert.equal(goQuote(text), naiveQuote(text))
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
    [tooLong('a', 1), 'a: Too long: may not be more than 1 byte'],
    [tooLong('a', 2), 'a: Too long: may not be more than 2 bytes'],
    [tooLong('a', -1), 'a: Too long: value is too long'],
    [tooMany('a', 3, 1), 'a: Too many: 3: must have at most 1 item'],
    [tooMany('a', 3, 2), 'a: Too many: 3: must have at most 2 items'],
    [internalFault('', 'why'), '<nil>: Internal error: why'],
  ]
  for (const [fault, text] of rows) assert.equal(faultText(fault), text)
})
