import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { compileRegex, compileWork, MOST_COMPILE_WORK } from './compile-regex.ts'

const FOLDED = '[\\x{100}-\\x{10FFFF}]'
const WORK: readonly (readonly [rule: string, source: string, least: number, most: number])[] = [
  ['an expression costs its length', 'a'.repeat(1000), 4000, 4000],
  ['a class of Unicode costs more', '\\pL\\PN', 200, 250],
  ['a range costs nothing more', FOLDED, 80, 100],
  ['… but where its code points are folded', `(?i)${FOLDED}`, 3500, 4000],
  ['… also by a flag among others', `a(?si:${FOLDED})`, 3500, 4000],
  ['… and for characters that stand for themselves', '(?i)[Ā-\u{10ffff}]', 3500, 4000],
  ['a range of ASCII is cheap', '(?i)[a-z0-9_-]+', 60, 80],
  ['escaped ends of a range', '(?i)[\\x41-\\x{5a}\\--\\]]', 80, 110],
]
for (const [rule, source, least, most] of WORK)
  test(`work of compiling: ${rule}`, () => {
    const work = compileWork(source)
    assert.ok(work >= least && work <= most, `${work}`)
  })

const TOO_LARGE: readonly (readonly [what: string, source: string])[] = [
  ['a long one', 'a?'.repeat(10_000)],
  ['many foldings', `(?i)${FOLDED.repeat(20)}`],
  ['many classes of Unicode', '\\pL'.repeat(1000)],
]
for (const [what, source] of TOO_LARGE)
  test(`an expression that would hold a turn is refused in Go’s words: ${what}`, () => {
    assert.ok(compileWork(source) > MOST_COMPILE_WORK)
    assert.throws(() => compileRegex(source), /^Error: error parsing regexp: expression too large$/)
  })

test('case is ignored for one and not for another of the same source, and both are kept', () => {
  const [exact, any] = [compileRegex('abc'), compileRegex('abc', { ignoreCase: true })]
  assert.deepEqual([exact.test('ABC'), any.test('ABC')], [false, true])
  assert.equal(compileRegex('abc'), exact)
  assert.equal(compileRegex('abc', { ignoreCase: true }), any)
})

test('as many expressions as there are lines do not stay compiled', () => {
  const first = compileRegex('^line 0$')
  for (let i = 1; i < 30_000; i++) assert.ok(compileRegex(`^line ${i}$`).test(`line ${i}`))
  assert.notEqual(compileRegex('^line 0$'), first)
})

test('an invalid expression is compiled once: its fault is kept', (t) => {
  const compile = t.mock.method(RE2JS, 'compile')
  const fault = (options?: { ignoreCase: boolean }) => {
    try {
      return compileRegex('a(b', options)
    } catch (error) {
      return error
    }
  }
  assert.match(String(fault()), /missing closing \)/)
  assert.equal(fault(), fault({ ignoreCase: true }))
  assert.equal(compile.mock.callCount(), 1)
})
