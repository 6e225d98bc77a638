import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEnvironment } from './environment.ts'
import { KUBERNETES_LIBRARIES } from './kubernetes/libraries.ts'
import { compile } from './program.ts'
import { toJson } from './to-json.ts'
import { CelError, Optional } from './values.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)
const run = (source: string) => compile(source, { env, variables: [] }).run({})

/** Expressions, and their values as JSON (google.protobuf.Value's form). */
const VALUES: readonly (readonly [source: string, json: unknown])[] = [
  ['null', null],
  ['true', true],
  ['"a"', 'a'],
  ['1.5', 1.5],
  ['-5', -5],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740991', -9007199254740991],
  ['-9007199254740992', -9007199254740992n],
  ['5u', 5],
  ['18446744073709551615u', 18446744073709551615n],
  ['b"abc"', 'YWJj'],
  ['timestamp("2026-01-01T00:00:00Z")', '2026-01-01T00:00:00Z'],
  ['duration("1h1s")', '3601s'],
  ['[dyn(1), dyn("a"), dyn(null)]', [1, 'a', null]],
  ['{"a": {"b": [2]}}', { a: { b: [2] } }],
  ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  ['optional.of(1)', 1],
  ['[?optional.none(), 1]', [1]],
  ['[optional.none(), optional.of(2)]', [2]],
  ['{"a": optional.none(), "b": optional.of(2)}', { b: 2 }],
]
for (const [source, json] of VALUES) test(`${source} as JSON`, () => assert.deepEqual(toJson(run(source)), json))

const REFUSED: readonly (readonly [source: string, message: RegExp])[] = [
  ['{1: 2}', /unsupported key type int of a JSON object/],
  ['{"a": {true: 2}}', /unsupported key type bool of a JSON object/],
  ['optional.none()', /an absent optional is no value/],
  ['type(1)', /unsupported conversion of type to JSON/],
  ['quantity("1")', /unsupported conversion of .*Quantity to JSON/],
  ['double("Infinity")', /Infinity is no JSON number/],
  ['[double("NaN")]', /NaN is no JSON number/],
]
for (const [source, message] of REFUSED)
  test(`${source} is no JSON`, () =>
    assert.throws(
      () => toJson(run(source)),
      (error) => error instanceof CelError && message.test(error.message),
    ))

test('an optional of an absent optional is no value', () => assert.throws(() => toJson(new Optional(new Optional(undefined))), CelError))
