import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field, Schema } from '../../schema/schema.ts'
import { createEnvironment } from '../environment.ts'
import { KUBERNETES_LIBRARIES } from '../kubernetes/libraries.ts'
import { compile } from '../program.ts'
import { celTypeOf } from './cel-type.ts'
import { celValueOf } from './cel-value.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)
const text: Schema = { type: 'scalar', scalar: 'string' }
const whole: Schema = { type: 'scalar', scalar: 'integer' }
const struct = (fields: Record<string, Schema>): Schema => ({
  type: 'struct',
  required: [],
  fields: new Map(Object.entries(fields).map(([name, schema]): [string, Field] => [name, { schema, tag: 0, omitEmpty: true }])),
})

function evaluate(rule: string, schema: Schema, json: unknown): unknown {
  const type = celTypeOf(schema)
  assert(type)
  return compile(rule, { env, variables: [{ name: 'self', type }] }).run({ self: celValueOf(schema, json) })
}

for (const [rule, schema, json, want] of [
  ['self.a == 1', struct({ a: whole }), { a: 1 }, true],
  ['self.__namespace__ == "x" && self.a__dash__b == "y"', struct({ namespace: text, 'a-b': text }), { namespace: 'x', 'a-b': 'y' }, true],
  ['has(self.a) || has(self.b)', struct({ a: whole, b: whole }), { b: 0 }, true],
  [
    '"a__dash__b" in dyn(self.open)',
    struct({ open: { type: 'struct', required: [], fields: new Map(), preserveUnknown: true } }),
    { open: { a__dash__b: 1 } },
    true,
  ],
  ['self == [2, 1]', { type: 'list', items: whole, listType: 'set' }, [1, 2], true],
  ['self + [2, 3] == [1, 2, 3]', { type: 'list', items: whole, listType: 'set' }, [1, 2], true],
  ['self == [2, 1]', { type: 'list', items: whole }, [1, 2], false],
  ['self.all(k, self[k] > 0)', { type: 'map', values: whole }, { a: 1, b: 2 }, true],
  ['self > duration("1m")', { ...text, constraints: { format: 'duration' } }, '2m', true],
  ['self.getFullYear() == 2026', { ...text, constraints: { format: 'date' } }, '2026-01-02', true],
  ['self == 5 || self == "5"', { type: 'scalar', scalar: 'int-or-string' }, '5', true],
] as [string, Schema, unknown, unknown][]) {
  test(rule, () => assert.equal(evaluate(rule, schema, json), want))
}

test('fields that the schema does not have cannot be named', () => {
  assert.throws(() => evaluate('self.b == 1', struct({ a: whole }), {}), /undefined field 'b'/)
})

test('lists of a set read in either order are equal', () => {
  const lists = struct({
    a: { type: 'list', items: text, listType: 'map', listMapKeys: [] },
    b: { type: 'list', items: text, listType: 'set' },
  })
  assert.equal(evaluate('self.b == ["x", "y"]', lists, { b: ['y', 'x'] }), true)
})

test('prototype names are plain keys', () => {
  const map: Schema = { type: 'map', values: whole }
  assert.equal(evaluate('"__proto__" in self || "constructor" in self', map, {}), false)
  assert.equal(evaluate('self["__proto__"] == 1', map, JSON.parse('{"__proto__":1}')), true)
})
