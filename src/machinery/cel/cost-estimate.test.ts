import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field, Schema } from '../schema/schema.ts'
import { estimateCost } from './cost-estimate.ts'
import { CostTotal, excessText, RULE_ESTIMATE_LIMIT } from './cost-limits.ts'
import { createEnvironment } from './environment.ts'
import { KUBERNETES_LIBRARIES } from './kubernetes/libraries.ts'
import { compile } from './program.ts'
import { mostOccurrences, sizesOf } from './schema/cel-size.ts'
import { celTypeOf } from './schema/cel-type.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)
const text = (maxLength?: number, format?: string): Schema => ({
  type: 'scalar',
  scalar: 'string',
  constraints: { ...(maxLength === undefined ? {} : { maxLength }), ...(format === undefined ? {} : { format }) },
})
const whole: Schema = { type: 'scalar', scalar: 'integer' }
const bool: Schema = { type: 'scalar', scalar: 'bool' }
const list = (items: Schema, maxItems?: number): Schema => ({
  type: 'list',
  items,
  ...(maxItems === undefined ? {} : { constraints: { maxItems } }),
})
const map = (values: Schema, maxProperties?: number): Schema => ({
  type: 'map',
  values,
  ...(maxProperties === undefined ? {} : { constraints: { maxProperties } }),
})
const struct = (fields: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'struct',
  required,
  fields: new Map(Object.entries(fields).map(([name, schema]): [string, Field] => [name, { schema, tag: 0, omitEmpty: true }])),
})

function costOf(rule: string, schema: Schema): number {
  const type = celTypeOf(schema)
  assert(type)
  const program = compile(rule, { env, variables: [{ name: 'self', type }] })
  return estimateCost(program, env, sizesOf(schema)).max
}

// The numbers are those that Kubernetes' own tests of its cost estimates give.
for (const [rule, schema, want] of [
  ['true', struct({ a: whole }), 0],
  ['self.a', struct({ a: bool }), 2],
  ['has(self.a)', struct({ a: bool }), 1],
  ['self.all(x, x == x)', list(whole, 10), 1 + 10 * 5 + 1],
  ['self.contains("test")', text(10), 1 + 4],
  ['self.startsWith("test")', text(10), 2],
  ['self.matches("^[0-9]+$")', text(10), 1 + 5 * 2],
  ['self + "x" == "y"', text(10), 1 + 5 + 1],
  ['1 in self', list(whole, 10), 11],
  ['self.sum() == 3', list(whole, 10), 12],
  ['self.isSorted()', list(text(20), 10), 1 + 10 * 9],
  ['url(self).getHost() == "x"', text(100), 1 + 40 + 1 + 1],
  ['sets.contains(self, [1, 2])', list(whole, 10), 1 + 10 + 20 + 1],
  // Lists and maps know the sizes of what they hold. The numbers are those of kube-apiserver 1.36.3.
  ['{"a": self}["a"].exists(x, x == 0)', list(whole, 10), 83],
  ['[[1, 2], self][0].min() == 1', list(whole, 10), 33],
  ['self.slice(1, 4) == [1]', list(whole, 10), 26],
  ['self.distinct() == [1]', list(whole, 10), 223],
  ['self.sort() == ["a"]', list(text(5), 10), 233],
  ['self.sortBy(x, x) == [1]', list(whole, 10), 376],
  ['cidr("10.0.0.0/8").containsIP(self)', text(20), 14],
  ['matches(self, "[a-z]+")', text(20), 2],
  ['format.dns1123Label().validate(self).hasValue()', text(20), 259],
] as [string, Schema, number][]) {
  test(`${rule} costs ${want}`, () => assert.equal(costOf(rule, schema), want))
}

test('what has no limit is as large as a request can be', () => {
  const all = (n: number) => n * 5
  // `[0,0,0,…]`: two bytes each.
  assert.equal(costOf('self.all(x, x == x)', list(whole)), 2 + all(1_572_863))
  // `["","",…]`: three bytes each.
  assert.equal(costOf('self.all(x, true)', list(text())), 2 + 1_048_575 * 3)
  assert.equal(costOf('self.all(k, true)', map(whole)), 2 + Math.floor((3 * 1024 * 1024 - 2) / 7) * 3)
})

test('loops in loops multiply; a cube of an unbounded list is beyond the limit', () => {
  assert(costOf('self.all(x, self.all(y, x + y > 0))', list(whole, 100)) < 200_000)
  assert(costOf('self.all(x, self.all(y, self.all(z, x + y + z > 0)))', list(whole)) > 100 * RULE_ESTIMATE_LIMIT)
})

test('what a choice between lists holds is as large as the variable', () => {
  const schema = struct({ a: list(text()) })
  const most = 1_048_575
  assert.equal(costOf('(has(self.a) ? self.a : []).exists(k, k.contains("/"))', schema), 12 + most * 5)
})

test('constant lists and maps cost nothing when they run, whatever is in them', () => {
  const spent = (source: string) => {
    const meter = { spent: 0, limit: Number.POSITIVE_INFINITY }
    compile(source, { env, variables: [{ name: 'x', type: { kind: 'int' } }] }).run({ x: 1n }, meter)
    return meter.spent
  }
  assert.deepEqual(['[[1], [2]]', '{"a": [string(1)]}', '[]', '[x]', '{"a": x}'].map(spent), [0, 0, 0, 11, 31])
})

test('quantities that may differ are compared as texts of unknown length, equal ones at once', () => {
  assert.equal(costOf('quantity(self) == quantity("1")', text(5)), 5)
  assert(costOf('quantity(self) != quantity("1")', text(5)) > RULE_ESTIMATE_LIMIT)
})

test('joining texts of unknown length has no limit', () => {
  assert(costOf('[self, "z"].join("-") == "a"', text(50)) > RULE_ESTIMATE_LIMIT)
})

for (const [format, most] of [
  ['duration', 32],
  ['date', 12],
  ['date-time', 32],
] as const)
  test(`a text of format ${format} has at most ${most} characters`, () => {
    assert.equal(sizesOf(struct({ a: { ...text(), constraints: { format } } }))(['self', 'a'])?.max, most)
  })

test('required fields make objects longer, and so rarer', () => {
  assert.equal(mostOccurrences(struct({})), 1_048_576)
  assert.equal(mostOccurrences(struct({ ab: text() }, ['ab'])), Math.floor((3 * 1024 * 1024) / 11))
  assert.equal(mostOccurrences(bool), Math.floor((3 * 1024 * 1024) / 5))
})

test('an exceeded cost is reported with its factor', () => {
  const advice = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  assert.equal(excessText('estimated rule cost', 12_000_000, 1e7), `estimated rule cost exceeds budget by factor of 1.200000x ${advice}`)
  assert.equal(excessText('estimated rule cost', 25_000_000, 1e7), `estimated rule cost exceeds budget by factor of 2.5x ${advice}`)
  assert.equal(excessText('estimated rule cost', 22_500_000, 1e7), `estimated rule cost exceeds budget by factor of 2.2x ${advice}`)
  assert.equal(excessText('estimated rule cost', 2e9, 1e7), `estimated rule cost exceeds budget by factor of more than 100x ${advice}`)
})

test('of a total, the four most expensive rules are reported, the most expensive first', () => {
  const total = new CostTotal()
  for (const [i, cost] of [5, 9, 1, 7, 8].entries()) total.add(String(i), cost)
  assert.equal(total.total, 30)
  assert.deepEqual(
    total.dearest.map((r) => r.cost),
    [9, 8, 7, 5],
  )
})
