import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEnvironment } from '../environment.ts'
import { CelIssues } from '../issues.ts'
import { KUBERNETES_LIBRARIES } from '../kubernetes/libraries.ts'
import { compile } from '../program.ts'
import { toJson } from '../to-json.ts'
import { CelError } from '../values.ts'
import { LIST_EXTENSION } from './lists.ts'
import { MATH } from './math.ts'
import { STRING_EXTENSION } from './strings.ts'

const mixed = KUBERNETES_LIBRARIES.filter((l) => !l.sameTypes)
const env = createEnvironment([...new Set([...mixed, LIST_EXTENSION, MATH, STRING_EXTENSION])])
const run = (source: string) => toJson(compile(source, { env, variables: [] }).run({}))

/** The functions of cel-go's extensions, as its documentation describes them. */
const VALUES: readonly (readonly [source: string, value: unknown])[] = [
  ['[1, 2, 2].isSorted()', true],
  ['[2, 1].isSorted()', false],
  ['[].isSorted()', true],
  ['["b", "a"].isSorted() || [2.0, 1.0].isSorted() || [true, false].isSorted()', false],
  ['[1, 2].sum()', 3],
  ['[].sum() == 0', true],
  ['[1.5, 2.0].sum()', 3.5],
  ['[1u, 2u].sum()', 3],
  ['string([duration("1m"), duration("1s")].sum())', '61s'],
  ['[3, 1, 2].min()', 1],
  ['[3, 1, 2].max()', 3],
  ['["b", "a"].max()', 'b'],
  ['[1, 2, 1].indexOf(1)', 0],
  ['[1, 2, 1].lastIndexOf(1)', 2],
  ['[1].indexOf(3)', -1],
  ['[1, 2, 3, 4].slice(1, 3)', [2, 3]],
  ['[1, 2].slice(2, 2)', []],
  ['[1, 2].slice(0, 2)', [1, 2]],
  ['[[1], [2, 3]].flatten()', [1, 2, 3]],
  ['[[dyn(1), [2]], [[[3]]]].flatten()', [1, [2], [[3]]]],
  ['[dyn(1), [dyn(2), [dyn(3), [4]]]].flatten(2)', [1, 2, 3, [4]]],
  ['[dyn(1), [2]].flatten(0)', [1, [2]]],
  ['[1, 2, 1, 3, 2].distinct()', [1, 2, 3]],
  ['[dyn(1), 1.0, "a", 1u].distinct()', [1, 'a']],
  ['[3, 1, 2].reverse()', [2, 1, 3]],
  ['[3, 1, 2].sort()', [1, 2, 3]],
  ['["b", "a"].sort()', ['a', 'b']],
  ['lists.range(3)', [0, 1, 2]],
  ['lists.range(0)', []],
  ['lists.range(-1)', []],
  ['lists.range(1000000).size()', 1_000_000],
  ['[{"n": 2}, {"n": 1}].sortBy(e, e.n)', [{ n: 1 }, { n: 2 }]],
  ['sets.contains([1, 2], [2]) && !sets.contains([1], [1, 2]) && sets.contains([1], [])', true],
  ['sets.equivalent([1, 2], [2, 1, 1]) && !sets.equivalent([1], [1, 2]) && !sets.equivalent([1, 2], [1])', true],
  ['sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [2]) && !sets.intersects([1], [])', true],
  ['math.greatest(dyn(1), 2.5, 2u)', 2.5],
  ['math.least(3, 1)', 1],
  ['math.greatest([1, 3, 2])', 3],
  ['math.least(-5)', -5],
  ['math.greatest(1u, 5u)', 5],
  ['math.ceil(1.2)', 2],
  ['math.floor(-1.2)', -2],
  ['math.round(1.5)', 2],
  ['math.round(-1.5)', -2],
  ['math.round(1.4)', 1],
  ['math.trunc(-1.7)', -1],
  ['math.sqrt(9)', 3],
  ['math.sqrt(2.25)', 1.5],
  ['math.sqrt(4u)', 2],
  ['math.isInf(double("inf")) && !math.isInf(1.0) && !math.isInf(double("NaN"))', true],
  ['math.isNaN(double("NaN")) && !math.isNaN(1.0)', true],
  ['math.isFinite(1.0) && !math.isFinite(double("inf")) && !math.isFinite(double("NaN"))', true],
  ['[math.abs(-5), math.abs(5), math.abs(0)]', [5, 5, 0]],
  ['math.abs(-1.5)', 1.5],
  ['math.abs(5u)', 5],
  ['[math.sign(-5), math.sign(0), math.sign(5)]', [-1, 0, 1]],
  ['[math.sign(0u), math.sign(7u)]', [0, 1]],
  ['math.sign(-0.5)', -1],
  ['math.bitAnd(6, 3)', 2],
  ['math.bitOr(6u, 3u)', 7],
  ['math.bitXor(6, 3)', 5],
  ['math.bitNot(0)', -1],
  ['math.bitNot(0u)', '18446744073709551615'],
  ['math.bitShiftLeft(1, 3)', 8],
  ['math.bitShiftLeft(1, 63)', '-9223372036854775808'],
  ['math.bitShiftLeft(1, 64)', 0],
  ['math.bitShiftLeft(1u, 63)', '9223372036854775808'],
  ['math.bitShiftLeft(3u, 63)', '9223372036854775808'],
  ['math.bitShiftRight(8, 3)', 1],
  ['math.bitShiftRight(-1, 63)', 1],
  ['math.bitShiftRight(8u, 64)', 0],
  ['"aé😀".charAt(2)', '😀'],
  ['"abc".charAt(3)', ''],
  ['"abcabc".indexOf("c")', 2],
  ['"abcabc".indexOf("c", 3)', 5],
  ['"abc".indexOf("c", 3)', -1],
  ['"abc".indexOf("", 2)', 2],
  ['"😀b".indexOf("b")', 1],
  ['"😀b😀b".indexOf("b", 2)', 3],
  ['"abcabc".lastIndexOf("c")', 5],
  ['"abcabc".lastIndexOf("c", 4)', 2],
  ['"abc".lastIndexOf("")', 3],
  ['"abc".lastIndexOf("x")', -1],
  ['"abc".indexOf("a", 4) + "abc".lastIndexOf("a", 4)', -2],
  ['"abc".indexOf("", 9) + "abc".lastIndexOf("", 9)', 18],
  ['[1.0, double("nan"), 0.5].sort() == [1.0, double("nan"), 0.5] || [1.0, double("nan")].isSorted()', true],
  ['"ab".lastIndexOf("abc")', -1],
  ['["a", "b"].join()', 'ab'],
  ['["a", "b"].join(",")', 'a,b'],
  ['[].join(",")', ''],
  ['"aBcÉ".lowerAscii() + "aBcé".upperAscii()', 'abcÉABCé'],
  ['"@[`{AZaz".lowerAscii()', '@[`{azaz'],
  ['"@[`{AZaz".upperAscii()', '@[`{AZAZ'],
  ['"a-b-c".replace("-", "+")', 'a+b+c'],
  ['"a-b-c".replace("-", "+", 1)', 'a+b-c'],
  ['"a-b-c".replace("-", "+", 0)', 'a-b-c'],
  ['"a-b".replace("-", "+", -1)', 'a+b'],
  ['"ab".replace("", "-")', '-a-b-'],
  ['"ab".replace("", "-", 2)', '-a-b'],
  ['"ab".replace("", "-", 3)', '-a-b-'],
  ['"a-b-c".split("-")', ['a', 'b', 'c']],
  ['"a-b-c".split("-", 2)', ['a', 'b-c']],
  ['"a-b-c".split("-", 1)', ['a-b-c']],
  ['"a-b-c".split("-", 3)', ['a', 'b', 'c']],
  ['"a-b-c".split("-", 0)', []],
  ['"a-b-c".split("-", -1)', ['a', 'b', 'c']],
  ['"a😀".split("")', ['a', '😀']],
  ['"abc".split("", 2)', ['a', 'bc']],
  ['"aé😀d".substring(2)', '😀d'],
  ['"aé😀d".substring(1, 3)', 'é😀'],
  ['"abc".substring(3)', ''],
  ['"abc".substring(2, 2)', ''],
  ['"  \\u00a0a b\\t\\n".trim()', 'a b'],
  ['" ".trim()', ''],
  ['"a😀b".reverse()', 'b😀a'],
  ['strings.quote("a\\"b\\\\\\n\\t\\r\\a\\b\\f\\v😀")', '"a\\"b\\\\\\n\\t\\r\\a\\b\\f\\v😀"'],
  ['"%s %s".format(["a", 1])', 'a 1'],
  ['"100%%".format([])', '100%'],
  ['"%d %d".format([5, 6u])', '5 6'],
  ['"%.2f %f".format([1.005, 2.5])', '1.00 2.500000'],
  ['"%.0f %.0f %.0f".format([0.5, 1.5, 2.5])', '0 2 2'],
  ['"%.1f".format([-0.25])', '-0.2'],
  ['"%.1f %.3e".format([double("NaN"), 12345.678])', 'NaN 1.234568×10⁰⁴'],
  ['"%e %e".format([1.5e-100, 1.0078125])', '1.500000×10⁻¹⁰⁰ 1.007812×10⁰⁰'],
  ['"%e|%.2e|%e".format([double("inf"), double("-inf"), "NaN"])', '     ∞|-∞|   NaN'],
  ['"%f %.2f %.0f".format([-1234567.891, 1e22, 1234.5])', '-1,234,567.891000 10,000,000,000,000,000,000,000.00 1,234'],
  ['"%f %f".format([double("inf"), "-Infinity"])', '∞ -∞'],
  ['"%.999999999e".format([double("inf")]).size()', 1000],
  ['"%b %b %b".format([5, true, false])', '101 1 0'],
  ['"%o".format([8u])', '10'],
  ['"%x %X %x".format([255, 255u, "hi"])', 'ff FF 6869'],
  ['"%X".format([b"\\xab"])', 'AB'],
  ['"%s".format([[dyn(1), "a\\"", null, true, 1.5, -0.0, 2u]])', '[1, "a\\"", null, true, 1.500000, -0.000000, 2]'],
  ['"%s".format([{"b": 1, "a": [2], 10: b"c", 9: {}}])', '{"a":[2], "b":1, 10:b"c", 9:{}}'],
  ['"%s".format([[duration("90s"), timestamp("2026-01-01T00:00:00Z")]])', '[duration("90s"), timestamp("2026-01-01T00:00:00Z")]'],
  ['"%s".format([[double("nan"), double("inf")]])', '["NaN", "+Inf"]'],
  ['"%s %s".format([duration("1s"), timestamp("2026-01-01T00:00:00Z")])', '1s 2026-01-01T00:00:00Z'],
  ['"%s %s".format([b"abc", type(1)])', 'abc int'],
  ['"%s".format([double("-inf")])', '-Inf'],
]
for (const [source, value] of VALUES) test(source, () => assert.deepEqual(run(source), value))

const ERRORS: readonly (readonly [source: string, message: string])[] = [
  ['[].min()', 'min called on empty list'],
  ['[].max()', 'max called on empty list'],
  ['[9223372036854775807, 1].sum()', 'integer overflow'],
  ['[1].slice(-1, 0)', 'cannot slice(-1, 0), negative indexes not supported'],
  ['[1].slice(0, -1)', 'cannot slice(0, -1), negative indexes not supported'],
  ['[1].slice(1, 0)', 'cannot slice(1, 0), start index must be less than or equal to end index'],
  ['[1].slice(0, 2)', 'cannot slice(0, 2), list is length 1'],
  ['[dyn([1])].flatten(-1)', 'level must be non-negative'],
  ['math.greatest([])', 'math.@max(list) argument must not be empty'],
  ['math.least([dyn("a"), 1])', 'no such overload: math.@min'],
  ['math.abs(-9223372036854775807 - 1)', 'integer overflow'],
  ['math.bitShiftLeft(1, -1)', 'math.bitShiftLeft() negative offset: -1'],
  ['"abc".charAt(4)', 'index out of range: 4'],
  ['"abc".charAt(-1)', 'index out of range: -1'],
  ['"abc".indexOf("a", -1)', 'index out of range: -1'],
  ['"abc".lastIndexOf("a", -1)', 'index out of range: -1'],
  ['"abc".substring(2, 1)', 'invalid substring range. start: 2, end: 1'],
  ['"abc".substring(4)', 'index out of range: 4'],
  ['"abc".substring(-1)', 'index out of range: -1'],
  ['"abc".substring(0, 4)', 'index out of range: 4'],
  ['dyn("%s").format([])', 'index 0 out of range'],
  ['dyn("%").format([])', 'unexpected end of string'],
  ['dyn("%d").format(["a"])', 'error during formatting: decimal clause can only be used on integers, was given string'],
  ['dyn("%b").format([1.5])', 'error during formatting: only integers and bools can be formatted as binary, was given double'],
  ['dyn("%o").format([true])', 'error during formatting: octal clause can only be used on integers, was given bool'],
  [
    'dyn("%x").format([1.5])',
    'error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double',
  ],
  ['dyn("%f").format(["a"])', 'error during formatting: fixed-point clause can only be used on doubles, was given string'],
  ['dyn("%e").format([true])', 'error during formatting: scientific clause can only be used on doubles, was given bool'],
  [
    'dyn("%s").format([b"\\xff"])',
    'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
  ],
  ['dyn("%s").format([[optional.of(1)]])', 'error during formatting: no formatting function for optional_type'],
  [
    'dyn("%.2").format([1.5])',
    'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
  ],
  ['dyn("%z").format([1])', 'could not parse formatting clause: unrecognized formatting clause "z"'],
]
for (const [source, message] of ERRORS)
  test(`${source} fails`, () =>
    assert.throws(
      () => run(source),
      (error) => error instanceof CelError && error.message === message,
    ))

/** Calls that the compiler refuses. */
const REFUSED: readonly (readonly [source: string, message: string])[] = [
  ['math.greatest()', 'math.greatest() requires at least one argument'],
  ['math.least("a")', 'math.least() invalid single argument value'],
  ['math.least(1, "a")', 'math.least() invalid argument value'],
  ['math.least(1, [2])', 'math.least() invalid argument value'],
  ['[1].sortBy(1, 2)', 'argument is not an identifier'],
]
for (const [source, message] of REFUSED)
  test(`${source} is refused`, () =>
    assert.throws(
      () => compile(source, { env, variables: [] }),
      (error) => String(error).includes(message),
    ))

for (const [source, message] of [
  ['"%s".format([])', '1:12: index 0 out of range'],
  ['"%".format([1])', '1:11: unexpected end of string'],
  ['"%.xf".format([1.0])', '1:14: could not parse formatting clause: error while parsing precision: error while converting'],
  ['"%z".format([1])', '1:12: could not parse formatting clause: unrecognized formatting clause "z"'],
  ['"%s".format([1, 2])', '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
  ['"%d".format(["a"])', '1:14: error during formatting: decimal clause can only be used on integers, was given string'],
  ['"%f".format([1])', '1:14: error during formatting: fixed-point clause can only be used on doubles, was given int'],
  ['"%s".format([{"a": [optional.none()]}])', 'timestamps, was given optional_type'],
] as const)
  test(`${source} is refused by the types of its arguments`, () =>
    assert.throws(
      () => run(source),
      (error) => error instanceof CelIssues && error.message.includes(message),
    ))

test('the format of unknown types is checked when it runs', () => {
  assert.equal(run('"%s%% %d %b %.1f".format([dyn(1.5), 1u, true, dyn(2.25)])'), '1.5% 1 1 2.2')
})

test('in Kubernetes, elements of a list or map have the very same type, save below format', () => {
  const kubernetes = createEnvironment(KUBERNETES_LIBRARIES)
  const compiled = (source: string) => compile(source, { env: kubernetes, variables: [] })
  for (const [source, message] of [
    ['[1, dyn("a")]', "1:8: expected type 'int' but found 'dyn'"],
    ['[[dyn(1)], ["a"]]', "1:12: expected type 'list(dyn)' but found 'list(string)'"],
    ['{"a": 1, "b": dyn(2)}', "1:18: expected type 'int' but found 'dyn'"],
  ] as const)
    assert.throws(
      () => compiled(source),
      (error) => error instanceof CelIssues && error.message.includes(message),
    )
  for (const source of ['[[], ["a"]]', '"%s".format([[1, dyn("a")]])']) compiled(source)
})
