import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lastPositionOf, positionsOf } from './text-search.ts'

test('long parts are found where short ones are', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(letters, fc.array(letters, { maxLength: 20 }), fc.nat(300), (piece, rest, from) => {
      const part = piece.repeat(70)
      const text = `${rest.join(part)}${part}${part.slice(1)}${rest.join('')}`
      const positions: number[] = []
      for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + part.length)) positions.push(at)
      assert.deepEqual([...positionsOf(text, part, from)], positions)
      assert.equal(lastPositionOf(text, part, from), text.lastIndexOf(part, from))
    }),
  )
})

test('a part of a text that repeats itself is searched in linear time', { timeout: 60_000 }, () => {
  const [text, part] = ['a'.repeat(700_000), `b${'a'.repeat(350_000)}`]
  assert.deepEqual([...positionsOf(text, part)], [])
  assert.equal(lastPositionOf(text, `${'a'.repeat(350_000)}b`, text.length), -1)
})
