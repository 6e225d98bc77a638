import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../base/steps.ts'
import { codePointsOf } from './characters.ts'
import { endOfMatch, findMatch, fitsWhole, reversed, type Segments, type Single } from './match-segments.ts'

/** The segments of a pattern of letters, `?` and `*`, which count how often a character is looked at. */
function counting(pattern: string) {
  const counter = { looks: 0 }
  const single =
    (c: string): Single =>
    (code) => {
      counter.looks++
      return c === '?' || code === c.codePointAt(0)
    }
  return { counter, segments: pattern.split(/\*+/).map((segment): Single[] => [...segment].map(single)) }
}

/** The same as an expression that goes back and forth: the model. */
const expression = (pattern: string) => pattern.replaceAll(/\*+/g, '[^]*').replaceAll('?', '[^]')

const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '?', '*'), maxLength: 8 })
const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 20 })

test('a whole text matches like a regular expression', () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const wanted = new RegExp(`^${expression(pattern)}$`).test(text)
      assert.equal(atOnce(fitsWhole(counting(pattern).segments, codePointsOf(text))), wanted)
    }),
  )
})

test('the shortest and the longest match at the start are those of a regular expression', () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const ends = Array.from({ length: text.length + 1 }, (_, end) => end).filter((end) =>
        new RegExp(`^${expression(pattern)}$`).test(text.slice(0, end)),
      )
      const found = (longest: boolean) => atOnce(endOfMatch(counting(pattern).segments, codePointsOf(text), 0, longest))
      assert.deepEqual([found(false), found(true)], [ends[0], ends.at(-1)])
    }),
  )
})

test('a match is the first one that is not empty, and the longest there', () => {
  fc.assert(
    fc.property(patterns, texts, fc.nat({ max: 20 }), (pattern, text, from) => {
      const whole = new RegExp(`^${expression(pattern)}$`)
      const start = Math.min(from, text.length)
      let wanted: { start: number; end: number } | undefined
      for (let at = start; at < text.length && wanted === undefined; at++)
        for (let end = text.length; end > at && wanted === undefined; end--)
          if (whole.test(text.slice(at, end))) wanted = { start: at, end }
      assert.deepEqual(atOnce(findMatch(counting(pattern).segments, codePointsOf(text), start)), wanted)
    }),
  )
})

test('a reversed pattern fits the reversed text', () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const fits = (segments: Segments, codes: Uint32Array) => atOnce(fitsWhole(segments, codes))
      const { segments } = counting(pattern)
      assert.equal(fits(reversed(segments), codePointsOf(text).toReversed()), fits(segments, codePointsOf(text)))
    }),
  )
})

const OPERATIONS: Readonly<Record<string, (segments: Segments, codes: Uint32Array) => unknown>> = {
  'a whole text': (segments, codes) => atOnce(fitsWhole(segments, codes)),
  'the shortest match': (segments, codes) => atOnce(endOfMatch(segments, codes, 0, false)),
  'the longest match': (segments, codes) => atOnce(endOfMatch(segments, codes, 0, true)),
  'the first match': (segments, codes) => atOnce(findMatch(segments, codes, 0)),
}

for (const [what, operation] of Object.entries(OPERATIONS))
  test(`${what}: the number of looks at characters grows with the length of the text, not with its square`, () => {
    fc.assert(
      fc.property(patterns, fc.constantFrom('a', 'ab', 'aab', 'c'), fc.constantFrom('', 'b', 'c'), (pattern, unit, end) => {
        for (const length of [64, 512, 4096]) {
          const { counter, segments } = counting(pattern)
          operation(segments, codePointsOf(unit.repeat(length / unit.length) + end))
          assert.ok(counter.looks <= (pattern.length + 1) * (length + 2), `${counter.looks} looks at ${length} characters`)
        }
      }),
    )
  })

test('a long search is made of steps', () => {
  const steps = findMatch([[98]], codePointsOf('a'.repeat(100_000)), 0)
  let count = 0
  while (steps.next().done !== true) count++
  assert.ok(count > 10)
})
