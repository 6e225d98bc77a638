import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeptLines } from './kept-lines.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('lines are whole, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-zé ]{0,8}$/), { minLength: 1 }), fc.integer({ min: 1, max: 7 }), (texts, size) => {
      const kept = new KeptLines()
      const all = bytes(`${texts.join('\n')}\n`)
      for (let at = 0; at < all.length; at += size) kept.write(all.subarray(at, at + size))
      kept.end()
      assert.deepEqual(kept.take().lines, texts)
    }),
  )
})

test('colours leave, other escapes are written out', () => {
  const kept = new KeptLines()
  kept.write(bytes('\u001b[31mred\u001b[0m \u0007\u202e\r\n'))
  assert.deepEqual(kept.take().lines, ['red \\u0007\\u202e'])
})

test('of lines that nobody takes the oldest are dropped, and their number is known', () => {
  const kept = new KeptLines()
  for (let i = 0; i < 7_000; i++) kept.write(bytes(`${i}\n`))
  const { from, lines, hasMore } = kept.take()
  assert.deepEqual([from, lines[0], lines.length, hasMore], [2_000, '2000', 1_000, true])
})

test('a line without an end is cut', () => {
  const kept = new KeptLines()
  kept.write(bytes('x'.repeat(20_000)))
  assert.match(kept.take().lines[0] ?? '', /… \(20000 characters\)$/)
})
