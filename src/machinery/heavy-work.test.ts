import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce, Pace, type Steps } from '../base/steps.ts'
import { builtinSchema } from '../resources/schema.ts'
import { clonedInSteps } from './cloned-in-steps.ts'
import { mergePatchInSteps } from './json/merge-patch.ts'
import type { FieldSet } from './managed-fields/field-set/field-set.ts'
import { ordered } from './managed-fields/field-set/ordered-set.ts'
import { compareInSteps, compareTyped } from './managed-fields/typed/compare.ts'
import { typedNode } from './managed-fields/typed/typed-node.ts'
import { wholeSet, wholeSetInSteps } from './managed-fields/typed/whole-set.ts'
import type { Json, JsonObject } from './object.ts'
import { decodeObject, decodeObjectInSteps } from './schema/decode.ts'
import { fromUnstructuredInSteps } from './schema/from-unstructured.ts'
import { strategicMergeInSteps } from './schema/strategic-merge.ts'
import { sortedKeys, sortedKeysInSteps } from './sorted-keys.ts'

const MANY = 60_000
const times = (f: (i: number) => Json): Json[] => Array.from({ length: MANY }, (_, i) => f(i))
const texts = (value: string): Json => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, value]))
const metadata = { name: 'a' }
const VALUES: Readonly<Record<string, Json>> = {
  'a map': { metadata: { ...metadata, labels: texts('a') } },
  'a list of structs': { metadata, spec: { volumes: times((i) => ({ name: `v${i}` })) } },
  'a list of texts': { metadata: { ...metadata, finalizers: times((i) => `a.b/${i}`) } },
  'a list deep inside': { metadata, spec: { containers: [{ name: 'a', ports: times((i) => ({ containerPort: i })) }] } },
  'a map of quantities': { metadata, spec: { overhead: texts('1') } },
  'maps in a list': { metadata, spec: { containers: times((i) => ({ name: `c${i}`, resources: {} })) } },
  'fields that nobody knows': texts('a'),
}
const pod = builtinSchema('', 'v1', 'Pod')
const node = typedNode(pod())
const other = (value: Json): Json => JSON.parse(JSON.stringify(value).replaceAll('"a"', '"b"').replace(/\d"/g, '"')) as Json
const WORK: Readonly<Record<string, (value: Json) => Steps<unknown>>> = {
  'decoding it': (value) => decodeObjectInSteps(pod(), value, { fieldValidation: 'Warn' }),
  'its normal form': (value) => decodeObjectInSteps(pod(), value, { share: true }),
  'naming fields that were null': (value) => compareInSteps(node, { metadata: {}, spec: { containers: null } }, value),
  'naming its fields': (value) => compareInSteps(node, { metadata: {}, spec: {} }, value),
  'what is gone': (value) => compareInSteps(node, value, { metadata: {}, spec: {} }),
  'what is another': (value) => compareInSteps(node, value, other(value)),
  'copying it': (value) => clonedInSteps(value, new Pace()),
  'merging it': (value) => mergePatchInSteps({ metadata: {}, spec: {} }, value),
  'merging it strategically': (value) => strategicMergeInSteps(pod(), { metadata: {}, spec: {} }, value as JsonObject),
  'converting it': (value) => fromUnstructuredInSteps(pod(), value as JsonObject),
  'ordering its keys': (value) => sortedKeysInSteps(value),
}

for (const [work, begin] of Object.entries(WORK))
  test(`${work} gives others their turns, whatever makes the object heavy`, () => {
    for (const [what, value] of Object.entries(VALUES)) {
      let turns = 0
      for (const steps = begin(value); steps.next().done !== true; ) turns++
      assert.ok(turns >= 8, `${what}: ${turns} turns for ${MANY} values`)
    }
  })

test('keys are sorted at every depth', () => {
  const value = { b: [{ d: 1, c: [2, { f: null, e: 'x' }] }], a: true, __proto__: null }
  assert.equal(JSON.stringify(sortedKeys(value)), '{"a":true,"b":[{"c":[2,{"e":"x","f":null}],"d":1}]}')
})

test('the keys of one map are sorted in steps too', () => {
  let turns = 0
  for (const steps = sortedKeysInSteps(texts('a')); steps.next().done !== true; ) turns++
  assert.ok(turns > MANY / 2000, `${turns} turns for ${MANY} keys: sorting them takes longer than copying them`)
})

test('light members of a heavy struct count for what they weigh', () => {
  const light = Array.from({ length: 600 }, () => ({ name: 'a' }))
  const lists = ['containers', 'initContainers', 'ephemeralContainers', 'volumes', 'imagePullSecrets', 'schedulingGates', 'resourceClaims']
  const spec = Object.fromEntries(lists.map((name) => [name, light]))
  let turns = 0
  for (const steps = decodeObjectInSteps(pod(), { metadata, spec }); steps.next().done !== true; ) turns++
  assert.ok(turns > 2, `${turns} turns: one for each of the two heavy structs, and none for ${lists.length} lists of some 1800 values`)
})

/** What a container may hold, right and wrong. */
const text = fc.constantFrom<Json>('a', 'b', '', null, 7, '1Gi')
const port = fc.record(
  { containerPort: fc.constantFrom<Json>(80, '80', null), name: text, protocol: fc.constantFrom<Json>('TCP', 'UDP') },
  { requiredKeys: [] },
)
const container = fc.record(
  {
    name: text,
    image: text,
    ports: fc.oneof(fc.array(port, { maxLength: 3 }), text),
    resources: fc.oneof(fc.record({ limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), text) }, { requiredKeys: [] }), text),
    nobodyKnowsThis: text,
  },
  { requiredKeys: [] },
)
/** Pods so heavy that they are worked on in steps: a few containers again and again, with names of their own or without. */
const heavyPod = fc.tuple(fc.array(container, { minLength: 1, maxLength: 5 }), fc.boolean()).map(([some, named]): Json => {
  const containers = Array.from({ length: 2500 }, (_, i): Json => ({ ...some[i % some.length], ...(named && { name: `c${i}` }) }))
  return {
    metadata: { name: 'a', labels: Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`k${i}`, 'v'])) },
    spec: { containers },
  }
})
const RUNS = { numRuns: 6 }

/** The result, or the message of what is thrown. */
function outcome<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    return String(error)
  }
}

test('a heavy object is decoded in steps as at once', () => {
  fc.assert(
    fc.property(heavyPod, (value) => {
      for (const share of [false, true]) {
        const steps = outcome(() => JSON.stringify(atOnce(decodeObjectInSteps(pod(), value, { share })).object))
        assert.equal(
          steps,
          outcome(() => JSON.stringify(decodeObject(pod(), value, { share }).object)),
        )
      }
      const warn = { fieldValidation: 'Warn' } as const
      const warned = outcome(() => atOnce(decodeObjectInSteps(pod(), value, warn)).warnings)
      assert.deepEqual(
        warned,
        outcome(() => decodeObject(pod(), value, warn).warnings),
      )
    }),
    RUNS,
  )
})

test('the fields of a heavy object are named, and compared, in steps as at once', () => {
  const texts = (set: FieldSet) => JSON.stringify(ordered(set))
  fc.assert(
    fc.property(heavyPod, heavyPod, (left, right) => {
      assert.equal(texts(atOnce(wholeSetInSteps(node, left))), texts(wholeSet(node, left)))
      const [inSteps, now] = [atOnce(compareInSteps(node, left, right)), compareTyped(node, left, right)]
      for (const part of ['added', 'modified', 'removed'] as const) assert.equal(texts(inSteps[part]), texts(now[part]), part)
    }),
    RUNS,
  )
})
