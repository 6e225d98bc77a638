import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEnvironment } from './environment.ts'
import { KUBERNETES_LIBRARIES } from './kubernetes/libraries.ts'
import { compile } from './program.ts'
import { toJson } from './to-json.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)

for (const [source, result] of [
  ['{"a": 1}.a', 1],
  ['[1, 2].exists_one(x, x == 1)', true],
  ['[1, 1].exists_one(x, x == 1)', false],
  ['has({"a": 1}.a)', true],
  ['has({"a": 1}.b)', false],
  ['has({"a": null}.a)', true],
  ['has(dyn(null).a)', false],
  ['has(dyn("x").a)', false],
  ['has(optional.of({"a": 1}).a)', true],
  ['has(optional.none().a)', false],
  ['[1, 2][1]', 2],
  ['[1, 2][dyn(1.0)]', 2],
  ['[1, 2][dyn(1u)]', 2],
  ['{1: "x"}[dyn(1u)]', 'x'],
  ['{1: "x"}[dyn(1.0)]', 'x'],
  ['[1][?0].orValue(5)', 1],
  ['[1][?1].orValue(5)', 5],
  ['[1][?-1].orValue(5)', 5],
  ['dyn("x").?a.?b.orValue(5)', 5],
] as const)
  test(`${source} is ${result}`, () => assert.equal(toJson(compile(source, { env, variables: [] }).run({})), result))

for (const [source, message] of [
  ['{"a": 1}.b', /no such key: b/],
  ['has(dyn([1]).a)', /unsupported index type 'string' in list/],
  ['dyn([1]).a', /unsupported index type 'string' in list/],
  ['dyn(1).a', /no such key: a|no such overload/],
  ['[1][1]', /index out of bounds: 1/],
  ['[1][-1]', /index out of bounds: -1/],
  ['[1][dyn("x")]', /unsupported index type 'string' in list/],
  ['"a".contains(1)', /found no matching overload for 'contains' applied to 'string\.\(int\)'/],
  ['size(1)', /found no matching overload for 'size' applied to '\(int\)'/],
] as const)
  test(`${source} is refused: ${message.source}`, () =>
    assert.throws(
      () => compile(source, { env, variables: [] }).run({}),
      (error) => message.test(String(error instanceof Error ? error.message : error)),
    ))
