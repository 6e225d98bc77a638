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
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740991', -9007199254740991],
  ['-9007199254740992', '-9007199254740992'],
  ['5u', 5],
  ['18446744073709551615u', '18446744073709551615'],
  ['b"abc"', 'YWJj'],
  ['timestamp("2026-01-01T00:00:00Z")', '2026-01-01T00:00:00Z'],
  ['duration("1h1s")', '3601s'],
  ['[dyn(1), dyn("a"), dyn(null)]', [1, 'a', null]],
  ['{"a": {"b": [2]}}', { a: { b: [2] } }],
  ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  ['optional.of(1)', 1],
  ['[?optional.none(), 1]', [1]],
  ['[optional.of(2)]', [2]],
]
for (const [source, json] of VALUES) test(`${source} as JSON`, () => assert.deepEqual(toJson(run(source)), json))

const REFUSED: readonly (readonly [source: string, message: string])[] = [
  ['{1: 2}', "unsupported type conversion from 'int' to string"],
  ['{"a": {true: 2}}', "type conversion error from bool to 'string'"],
  ['optional.none()', 'optional.none() dereference'],
  ['{"a": optional.none()}', 'optional.none() dereference'],
  ['[type(1)]', "type conversion not supported for 'type'"],
  ['quantity("1")', "type conversion error from 'Quantity' to '*structpb.Value'"],
  ['ip("1.1.1.1")', "type conversion error from 'IP' to '*structpb.Value'"],
  ['format.dns1123Label()', "type conversion error from 'Format' to '*structpb.Value'"],
  [
    'double("Infinity")',
    'json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid +Inf value',
  ],
]
for (const [source, message] of REFUSED) test(`${source} is no JSON`, () => assert.throws(() => toJson(run(source)), new CelError(message)))

test('an optional of an absent optional is no value', () => assert.throws(() => toJson(new Optional(new Optional(undefined))), CelError))
