import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJson } from './strict-json.ts'
import { StringMarks } from './string-marks.ts'

test('the marks of a text are found in order, each once', () => {
  const text = String.raw`0123"5\7"9\\`
  const marks = new StringMarks(text)
  const found: number[] = []
  for (let at = marks.next(0); at < text.length; at = marks.next(at + 1)) found.push(at)
  assert.deepEqual(found, [4, 6, 8, 10, 11])
  assert.equal(marks.next(text.length), text.length)
})

/** Keys and commas within strings are no keys and commas: long strings have them beyond the first characters. */
for (const filling of ['', 'a', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(65), 'a'.repeat(1000)])
  for (const rest of ['', '\\', '"', '\\"', '"\\', ':,{[', '\\\\"":', '\u2028é'])
    test(`a string of ${filling.length} characters and ${JSON.stringify(rest)} is read as it was written`, () => {
      const value = { [`k${filling}${rest}`]: [filling + rest, rest + filling, filling + rest + filling] }
      assert.deepEqual(decodeJson(JSON.stringify(value)).value, value)
      assert.deepEqual(decodeJson(JSON.stringify(value)).duplicates, [])
    })

test('a duplicate key after a long string is noticed', () => {
  assert.deepEqual(decodeJson(`{"s":"${'a'.repeat(500)}\\"","k":1,"k":2}`).duplicates, ['k'])
})
