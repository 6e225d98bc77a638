import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { collectFaults, type FieldError, goQuote, invalid } from './field-error.ts'

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

test('a validation stops when it has found more than anybody reads', () => {
  let judged = 0
  const each = (count: number, value: string) => (): FieldError[] =>
    Array.from({ length: count }, (_, i) => {
      judged++
      return invalid(`a[${i}]`, value, 'bad')
    })
  assert.equal(collectFaults(each(999, 'x')).length, 999)
  judged = 0
  assert.equal(collectFaults(each(100_000, 'x')).length, 1000)
  assert.equal(judged, 1000)
  judged = 0
  const shown = collectFaults(each(15_000, 'x'.repeat(300_000)))
  assert.equal(shown.length, 4)
  assert.equal(judged, 4)
  assert.equal(each(2000, 'x')().length, 2000, 'outside of a validation nothing stops')
})

test('faults that were made elsewhere are not more either', () => {
  const made = { type: 'FieldValueInvalid', field: 'a', message: 'b' } as const
  assert.equal(collectFaults(() => Array(5000).fill(made)).length, 1000)
})

test('an error of a validation is its own, and the next one counts anew', () => {
  assert.throws(() =>
    collectFaults(() => {
      throw new Error('own')
    }),
  )
  assert.equal(collectFaults(() => [invalid('a', 1, 'b')]).length, 1)
})
