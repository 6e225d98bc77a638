import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../object.ts'
import { PER_CALL_LIMIT } from './cost-limits.ts'
import { createEnvironment } from './environment.ts'
import { CelIssues } from './issues.ts'
import { KUBERNETES_LIBRARIES } from './kubernetes/libraries.ts'
import { CostError } from './plan/meter.ts'
import { compile } from './program.ts'
import { celDynamic } from './schema/cel-value.ts'
import { DYN } from './types.ts'
import { CelError, type Value } from './values.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)
const variables = [{ name: 'self', type: DYN }]

/** What a program comes to: a value, or the kind of error. Any other error fails the test. */
function outcome(source: string, self: unknown = null): Value | string {
  try {
    return compile(source, { env, variables }).run({ self: celDynamic(self) }, { spent: 0, limit: PER_CALL_LIMIT })
  } catch (error) {
    if (error instanceof CelIssues || error instanceof CelError || error instanceof CostError) return error.name
    throw error
  }
}

/** Fails when it takes much processor time, which does not depend much on what else the machine does. */
function soon<T>(work: () => T, limitMs = 3000): T {
  const start = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(start)
  const ms = (user + system) / 1000
  assert(ms < limitMs, `took ${Math.round(ms)} ms`)
  return result
}

for (const [what, source] of [
  ['brackets', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['open brackets', '('.repeat(100_000)],
  ['braces', '{1:'.repeat(30_000)],
  ['a long sum', `1${'+1'.repeat(40_000)}`],
  ['sums in sums', '('.repeat(200) + `1${'+1'.repeat(200)})`.repeat(200)],
  ['fields of fields', `self${'.a'.repeat(40_000)}`],
  ['calls of calls', `self${'.size()'.repeat(10_000)}`],
  ['minus signs', `${'-'.repeat(90_000)}1`],
  ['conditionals', `${'true ? '.repeat(9000)}1${' : 1'.repeat(9000)}`],
  ['loops in loops', `${'[1].all(x, '.repeat(3000)}true${')'.repeat(3000)}`],
  ['a huge number', '9'.repeat(90_000)],
  ['a huge hexadecimal number', `0x${'f'.repeat(90_000)}`],
  ['a text that never ends', `"${'\\"'.repeat(45_000)}`],
  ['texts that never end', `'''"`.repeat(20_000)],
  ['no program at all', '\u0000§'.repeat(40_000)],
  ['a chain of optMap', `optional.of(1)${'.optMap(x, x + 1)'.repeat(60)}`],
] as const) {
  test(`${what}: refused, and soon`, () => {
    assert.equal(
      soon(() => outcome(source)),
      'CelIssues',
    )
  })
}

test('long chains of && and || are fine', () => {
  assert.equal(outcome(`true${' && true'.repeat(10_000)}`), true)
  assert.equal(outcome(`false${' || false'.repeat(10_000)}`), false)
})

test('as deep as the language allows runs', () => {
  assert.notEqual(outcome(`${'['.repeat(200)}${']'.repeat(200)}`), 'CelIssues')
  assert.equal(outcome(`${'[1].all(x, '.repeat(100)}true${')'.repeat(100)}`), true)
  assert.equal(outcome(`1${'+1'.repeat(200)}`), 201n)
})

const large = {
  list: Array.from({ length: 200_000 }, (_, i) => i),
  text: 'ä'.repeat(1_000_000),
  same: 'a'.repeat(700_000),
  head: `${'a'.repeat(350_000)}b`,
  tail: `b${'a'.repeat(350_000)}`,
}

for (const [what, source, want] of [
  ['thousands of calls with parameters of types', Array.from({ length: 5000 }, (_, i) => `(1 + 2 == ${i})`).join('||'), true],
  ['a loop in a loop', 'self.list.all(x, self.list.all(y, x + y >= 0))', 'CostError'],
  ['a list made element by element', 'self.list.map(x, x).size() > 0', 'CostError'],
  ['a map made entry by entry', 'self.list.transformMap(i, x, x).size() == 200000', true],
  ['sets of many', 'sets.equivalent(self.list, self.list)', 'CostError'],
  ['distinct of many', 'self.list.distinct().size() > 0', 'CostError'],
  ['sizes of a long text', 'self.list.all(x, self.text.size() > 0)', 'CostError'],
  ['characters of a long text', 'self.list.all(x, self.text.charAt(x) != "b")', 'CostError'],
  ['a text that grows', `"x"${'.replace("x", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")'.repeat(8)} == ""`, 'CostError'],
  ['a text that grows at once', 'self.text.replace("", self.text) == ""', 'CelError'],
  ['lists that double', `optional.of([1, 1])${'.optMap(x, x + x)'.repeat(12)}.value().size() == 8192`, true],
  ['a pattern of patterns', 'self.text.matches("((a{100}){100}){100}")', 'CelIssues'],
  ['a long pattern that comes with the object', '"a".matches(self.same.substring(0, 30000))', 'CelError'],
  ['a pattern whose letters are folded', `self.text.matches("${'(?i)[\\\\x{100}-\\\\x{10FFFF}]'.repeat(100)}")`, 'CelIssues'],
  ['a large pattern of a long text', 'self.same.matches("(?:ab?){900}[cd]")', 'CelError'],
  ['a pattern that backtracks elsewhere', `("a".replace("a", "${'a'.repeat(5000)}")).matches("(a+)+$")`, true],
  ['a part that the text nearly repeats', 'self.same.indexOf(self.head) + self.same.indexOf(self.tail)', -2n],
  ['such a part from the end', 'self.same.lastIndexOf(self.head) + self.same.lastIndexOf(self.tail)', -2n],
  ['such a part to split by', 'self.same.split(self.head).size() + self.same.split(self.tail).size()', 2n],
  ['such a part to replace', 'self.same.replace(self.head, "") == self.same.replace(self.tail, "")', true],
  ['all matches of a literal', 'self.same.findAll("a").size()', 700_000n],
  ['all matches of a class', 'self.same.substring(0, 100000).findAll("[ab]").size()', 100_000n],
  ['matches that each read to the end', 'self.same.substring(0, 20000).findAll("a.*b|a").size()', 'CelError'],
  ['a short text of such matches', 'self.same.substring(0, 200).findAll("a.*b|a").size()', 200n],
  ['an endless range', 'lists.range(9223372036854775807).size() > 0', 'CelError'],
] as const) {
  test(`${what}: ${want}, and soon`, () => {
    assert.equal(
      soon(() => outcome(source, large)),
      want,
    )
  })
}

test('keys like those of prototypes are plain keys', () => {
  const self: unknown = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "toString": 2}')
  assert.equal(outcome('self.__proto__.admin && self.constructor == 1 && self["toString"] == 2', self), true)
  assert.equal(outcome('has(self.__proto__) || has(self.constructor) || "hasOwnProperty" in self', {}), false)
  assert.equal(outcome('{"__proto__": 1}.__proto__ == 1 && !has({"a": 1}.__proto__)'), true)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(outcome(name), 'CelIssues')
    assert.equal(outcome(`${name}()`), 'CelIssues')
    assert.equal(outcome(`self.${name}()`), 'CelIssues')
    assert.equal(outcome(`${name}{}`), 'CelIssues')
    assert.equal(outcome(`self.${name}`, {}), 'CelError')
  }
})

const token = fc.constantFrom(
  ...'self . ( ) [ ] { } , : ? && || ! - + * / % == != < <= in true false null 1 2u 3.5 "a" b"b" x all exists map filter has size matches .?a [?0] @ ` \' " \\ // __proto__ type int string duration timestamp optional.of format'.split(
    ' ',
  ),
)

test('whatever is written: a value, or one of the errors of the language', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 25 }), (tokens) => {
      outcome(tokens.join(' '), { a: 1 })
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (source) => {
      outcome(source)
    }),
    { numRuns: 1000 },
  )
})

const RULES = [
  'self == self',
  'size(self) >= 0',
  'self.all(x, x == x)',
  'self.map(x, type(x)).size() >= 0',
  'self.exists(k, k == "__proto__")',
  'self.a.b[0] == 1',
  'string(self) == "x" || int(self) > 0',
  'self.?a.orValue(1) == 1',
  'self + self == self',
  'self.transformMap(k, v, v) == self',
  'self.filter(x, x in self).distinct().size() >= 0',
  '"%s".format([self]) != ""',
]

test('whatever the value: a value, or one of the errors of the language', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(...RULES), (json, rule) => {
      outcome(rule, json as Json)
    }),
    { numRuns: 2000 },
  )
})
