import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '../../object.ts'
import { commonSet } from './common-sets.ts'
import type { FieldSet } from './field-set.ts'

const element = fc.constantFrom('.', 'f:a', 'f:b', 'f:__proto__', 'k:{"ip":"10.0.0.1"}', 'k:{"ip":"10.0.0.2"}', 'v:"x"')
const { set } = fc.letrec<{ set: FieldSet }>((tie) => ({
  set: fc.oneof({ maxDepth: 4 }, fc.constant({}), fc.dictionary(element, tie('set'))),
}))

test('equal sets share one instance, with the same order, and the input is unchanged', () => {
  fc.assert(
    fc.property(set, (made) => {
      const common = commonSet(deepFreeze(structuredClone(made)))
      assert.equal(JSON.stringify(common), JSON.stringify(made))
      assert.equal(commonSet(structuredClone(made)), common)
      assert.equal(commonSet(common), common)
    }),
  )
})

test('sets that differ in one field share what lies beside it', () => {
  const of = (ip: string) => commonSet({ 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {} } }, 'f:podIPs': { [ip]: {} } } })
  const [a, b] = [of('k:{"ip":"10.0.0.1"}'), of('k:{"ip":"10.0.0.2"}')]
  assert.notEqual(a, b)
  assert.equal(a['f:status']?.['f:conditions'], b['f:status']?.['f:conditions'])
})

test('an unused set is dropped, a used one kept', () => {
  const every = commonSet({ 'f:spec': { 'f:everybody': {} } })
  for (let i = 0; i < 3000; i++) {
    commonSet({ 'f:spec': { [`f:${'x'.repeat(1000)}${i}`]: {} } })
    assert.equal(commonSet({ 'f:spec': { 'f:everybody': {} } }), every)
  }
})
