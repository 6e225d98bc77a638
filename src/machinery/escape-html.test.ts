import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeHtml } from './escape-html.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** What is drawn is repeated to that length: long texts are escaped in another way. */
for (const length of [0, 70_000])
  test(`each character that may begin markup or end a line of a script is escaped, and no other (texts from ${length} characters)`, () => {
    const unit = fc.constantFrom('a', '"', '\\', 'é', '€', '\u2027', '\u202a', '😀', ...Object.keys(ESCAPES))
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1 }), (drawn) => {
        const text = drawn.repeat(Math.ceil(length / drawn.length) || 1)
        const json = JSON.stringify(text)
        assert.equal(escapeHtml(json), [...json].map((c) => ESCAPES[c] ?? c).join(''))
        assert.equal(JSON.parse(escapeHtml(json)), text)
      }),
      { numRuns: length === 0 ? 100 : 10 },
    )
  })
