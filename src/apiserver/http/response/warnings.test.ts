import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Warnings } from './warnings.ts'

const reported = (...texts: readonly string[]) => {
  const warnings = new Warnings()
  for (const text of texts) warnings.add(text)
  return warnings.values()
}

test('warnings appear once each, in order, quoted', () => {
  assert.deepEqual(reported('b', 'a "x" \\', 'b', ''), ['299 - "b"', '299 - "a \\"x\\" \\\\"'])
})

test('a warning with control characters is dropped, as in Kubernetes', () => {
  assert.deepEqual(reported('a\r\nX-Evil: 1', 'a\u0007', 'a\u0085', '日本'), ['299 - "日本"'])
})

test('a long warning is whole when it is alone, and all are cut when they are too many together', () => {
  assert.deepEqual(reported('x'.repeat(4096)), [`299 - "${'x'.repeat(4096)}"`])
  assert.deepEqual(reported('x'.repeat(4097)), [`299 - "${'x'.repeat(256)}"`])
  assert.deepEqual(reported('a'.repeat(4000), '𝒳'.repeat(300)), [`299 - "${'a'.repeat(256)}"`, `299 - "${'𝒳'.repeat(256)}"`])
})

test('property: the head stays small', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.constant('y'.repeat(1 << 20)), fc.nat().map(String))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 400 }), (texts) => {
      const values = reported(...texts)
      assert.ok(values.length <= 100)
      const characters = values.reduce((sum, v) => sum + [...v].length, 0)
      assert.ok(characters <= 2 * (4096 + 256) + 100 * 10, `${characters}`)
      assert.equal(new Set(values).size, values.length)
    }),
    { numRuns: 200 },
  )
})

test('of a hundred thousand different warnings a hundred are kept, without searching the earlier ones', () => {
  const values = reported(...Array.from({ length: 100_000 }, (_, i) => `w${i}`))
  assert.equal(values.length, 100)
})
