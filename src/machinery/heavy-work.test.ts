import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Steps } from '../base/steps.ts'
import { builtinSchema } from '../resources/schema.ts'
import { compareInSteps } from './managed-fields/typed/compare.ts'
import { typedNode } from './managed-fields/typed/typed-node.ts'
import type { Json } from './object.ts'
import { decodeObjectInSteps } from './schema/decode.ts'
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
  'naming its fields': (value) => compareInSteps(node, { metadata: {}, spec: {} }, value),
  'what is gone': (value) => compareInSteps(node, value, { metadata: {}, spec: {} }),
  'what is another': (value) => compareInSteps(node, value, other(value)),
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

test('keys are ordered in steps as at once', () => {
  for (const value of Object.values(VALUES)) {
    const steps = sortedKeysInSteps(value)
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    assert.equal(JSON.stringify(step.value), JSON.stringify(sortedKeys(value)))
  }
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
