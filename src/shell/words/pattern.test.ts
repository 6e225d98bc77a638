import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../base/steps.ts'
import { compilePattern, type ReplaceMode } from './pattern.ts'

const pattern = (text: string, quoted = false) => compilePattern([{ text, quoted }])

const MATCHES: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['**', 'abc', true],
  ['a*c', 'abc', true],
  ['a*c', 'ac', true],
  ['a*c', 'ab', false],
  ['a*a', 'a', false],
  ['?', 'é', true],
  ['?', '😀', true],
  ['??', '😀', false],
  ['[abc]', 'b', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]', 'b', false],
  ['[^a-c]', 'd', true],
  ['[]a]', ']', true],
  ['[!]a]', ']', false],
  ['[a-]', '-', true],
  ['[[:digit:]]*', '1x', true],
  ['[[:upper:][:digit:]]', 'a', false],
  ['[[:alpha:]-]', '-', true],
  ['[a', '[a', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['a\\', 'a\\', true],
  ['[[:nothing:]]', 'a', false],
]
for (const [written, text, matches] of MATCHES)
  test(`the pattern ${JSON.stringify(written)} ${matches ? 'fits' : 'does not fit'} ${JSON.stringify(text)}`, () => {
    assert.equal(pattern(written).matches(text), matches)
  })

test('a quoted piece matches itself literally', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('*', '?', '[', ']', 'a', '\\', '!') }), (text) => {
      assert.ok(pattern(text, true).matches(text))
      assert.equal(pattern(text, true).special, false)
      assert.equal(pattern(text, true).matches(`${text}x`), false)
    }),
  )
})

const AFFIXES: readonly (readonly [operator: string, pattern: string, text: string, rest: string])[] = [
  ['#', '*b', 'abab', 'ab'],
  ['##', '*b', 'aba', 'a'],
  ['#', 'x', 'aba', 'aba'],
  ['%', 'b*', 'abab', 'aba'],
  ['%%', 'b*', 'abab', 'a'],
  ['%', '?', 'a😀', 'a'],
  ['#', '?', '😀a', 'a'],
  ['##', '*/', '/usr/bin/sh', 'sh'],
  ['%', '/*', '/usr/bin/sh', '/usr/bin'],
  ['%%', '*', 'abc', ''],
  ['#', '*', 'abc', 'abc'],
  ['%', '[0-9]', 'v10', 'v1'],
]
for (const [operator, written, text, rest] of AFFIXES)
  test(`\${x${operator}${written}} of ${text} is ${JSON.stringify(rest)}`, () => {
    const longest = operator.length === 2
    const compiled = pattern(written)
    assert.equal(atOnce(operator.startsWith('#') ? compiled.withoutPrefix(text, longest) : compiled.withoutSuffix(text, longest)), rest)
  })

const REPLACEMENTS: readonly (readonly [mode: ReplaceMode, pattern: string, text: string, result: string])[] = [
  ['/', 'b', 'abab', 'aXab'],
  ['//', 'b', 'abab', 'aXaX'],
  ['//', '', 'abab', 'abab'],
  ['//', '?', 'ab', 'XX'],
  ['//', '*', 'ab', 'X'],
  ['//', 'a*', 'bab', 'bX'],
  ['/#', 'a', 'aab', 'Xab'],
  ['/#', 'b', 'aab', 'aab'],
  ['/%', 'b', 'abb', 'abX'],
  ['/%', 'a', 'abb', 'abb'],
  ['/%', 'b*', 'abb', 'aX'],
  ['//', '😀', 'a😀b😀', 'aXbX'],
  ['/', 'b?', 'a😀b😀c', 'a😀Xc'],
  ['//', '[ab]', 'cabbage', 'cXXXXge'],
]
for (const [mode, written, text, result] of REPLACEMENTS)
  test(`\${x${mode}${written}…} of ${text} is ${result}`, () => {
    assert.equal(atOnce(pattern(written).replace(text, mode, 'X')), result)
  })

test('replacing all of a letter is what split and join do', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }), (text, letter) => {
      // A lone surrogate beside another one would become a character of its own.
      fc.pre(text.isWellFormed() && letter.isWellFormed())
      assert.equal(atOnce(pattern(letter, true).replace(text, '//', '-')), text.split(letter).join('-'))
    }),
  )
})

test('a text of brackets is compiled without reading it to the end for each of them', () => {
  assert.equal(pattern('['.repeat(200_000)).matches('['), false)
})
