import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePointsOf, countCharacters, offsetOf, sliceCharacters } from './characters.ts'

const TEXT = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00') })

test('characters are what iterating a string gives', () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      const characters = [...text]
      assert.equal(countCharacters(text), characters.length)
      assert.deepEqual(
        [...codePointsOf(text)],
        characters.map((c) => c.codePointAt(0)),
      )
    }),
  )
})

test('a part of a text is what slicing its characters gives', () => {
  fc.assert(
    fc.property(TEXT, fc.nat(20), fc.nat(20), (text, from, to) => {
      assert.equal(sliceCharacters(text, from, to), [...text].slice(from, Math.max(from, to)).join(''))
      assert.equal(sliceCharacters(text, from, Number.POSITIVE_INFINITY), [...text].slice(from).join(''))
      assert.equal(text.slice(0, offsetOf(text, from)), [...text].slice(0, from).join(''))
    }),
  )
})
