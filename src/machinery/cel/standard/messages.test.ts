import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEnvironment } from '../environment.ts'
import { KUBERNETES_LIBRARIES } from '../kubernetes/libraries.ts'
import { compile } from '../program.ts'
import { CelError } from '../values.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)
const run = (source: string) => compile(source, { env, variables: [] }).run({})

for (const source of [
  'google.protobuf.Int64Value{value: 1} + 1 == 2 && google.protobuf.Int64Value{} == 0',
  '.google.protobuf.UInt32Value{value: 1u} == 1u && google.protobuf.BoolValue{value: true}',
  'google.protobuf.FloatValue{value: 1.1} == 1.100000023841858',
  'google.protobuf.StringValue{value: "a"} + "b" == "ab"',
  'google.protobuf.Int64Value{?value: optional.of(2)} == 2',
  'google.protobuf.Duration{seconds: 1, nanos: 5} == duration("1.000000005s")',
  'google.protobuf.Timestamp{seconds: 1}.getFullYear() == 1970',
  'google.protobuf.Int64Value{} != null',
  'google.protobuf.Struct{fields: {"a": 1}}.a == 1.0',
  'google.protobuf.ListValue{values: [google.protobuf.Value{number_value: 1.0}]}[0] == 1.0',
  'google.protobuf.Value{null_value: google.protobuf.NullValue.NULL_VALUE} == null',
  'google.protobuf.Value{} == null && google.protobuf.Value{number_value: 1.0, string_value: "a"} == "a"',
])
  test(source, () => assert.equal(run(source), true))

for (const [source, message] of [
  ['google.protobuf.Int32Value{value: 10000000000}', 'google.protobuf.Int32Value.value value type: integer overflow'],
  [
    'google.protobuf.Int64Value{value: dyn(1u)}',
    "google.protobuf.Int64Value.value value type: unsupported type conversion from 'uint' to int64",
  ],
  ['google.protobuf.Duration{nanos: 5000000000}', 'google.protobuf.Duration.nanos value type: integer overflow'],
] as const)
  test(`${source} fails`, () => assert.throws(() => run(source), new CelError(`field type conversion error for ${message}`)))

test('the type of a wrapper is told as such', () =>
  assert.throws(() => run('google.protobuf.Int64Value{value: 1}.startsWith("a")'), /applied to 'wrapper\(int\)\.\(string\)'/))

for (const source of ['google.protobuf.Int64Value{value: "a"}', 'google.protobuf.Int64Value{nope: 1}', 'google.protobuf.Nope{}'])
  test(`${source} does not compile`, () => assert.throws(() => run(source), /expected type of field|undefined field|undeclared reference/))
