import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../../base/steps.ts'
import { typedNode } from '../typed/typed-node.ts'
import { wholeSet } from '../typed/whole-set.ts'
import { sortTexts } from './element-order.ts'
import type { FieldSet } from './field-set.ts'
import { orderedInSteps } from './ordered-in-steps.ts'
import { ordered } from './ordered-set.ts'

const element = fc.oneof(
  fc.constantFrom('.', 'i:1', 'i:10', 'i:9', 'k:{"ip":"10.0.0.1"}', 'k:{"port":80}', 'v:"x"', 'v:7', 'v:true'),
  fc.string({ maxLength: 3 }).map((name) => `f:${name}`),
)
const { set } = fc.letrec<{ set: FieldSet }>((tie) => ({
  set: fc.oneof({ maxDepth: 4 }, fc.constant({}), fc.dictionary(element, tie('set'), { noNullPrototype: true })),
}))
const texts = (set: FieldSet) => JSON.stringify(set)

test('a set is put in order in steps as at once, and one in order stays the very same', () => {
  fc.assert(
    fc.property(set, (made) => {
      const inSteps = atOnce(orderedInSteps(structuredClone(made)))
      assert.equal(texts(inSteps), texts(ordered(structuredClone(made))))
      assert.equal(atOnce(orderedInSteps(inSteps)), inSteps)
      assert.equal(ordered(inSteps), inSteps)
    }),
  )
})

test('a set of very many paths is put in order in many steps', () => {
  const large = { 'f:data': Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`f:k${i}`, {}])) }
  assert.ok([...orderedInSteps(large)].length > 20)
  assert.equal(texts(atOnce(orderedInSteps(large))), texts(ordered(large)))
})

test('a long list of texts has its elements in order, each once, like a short one', () => {
  const list = { type: 'list', listType: 'set', items: { type: 'scalar', scalar: 'string' } } as const
  const items = Array.from({ length: 300 }, (_, i) => `${(i * 7919) % 250}"\u00e9\ud83d\ude00`)
  const whole = wholeSet(typedNode(list), items)
  const elements = Object.keys(whole)
  assert.equal(elements.length, 251)
  const again = ordered({ 'f:x': structuredClone(whole) })['f:x'] ?? {}
  assert.equal(texts(again), texts(whole))
})

test('few texts and many are sorted by their UTF-16 units, in place', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 60 }), (texts) => {
      const sorted = texts.toSorted()
      assert.equal(sortTexts(texts), texts)
      assert.deepEqual(texts, sorted)
    }),
  )
})
