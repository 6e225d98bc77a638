import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinSchema } from '../../resources/schema.ts'
import { asJson, asKubeObject, type Json } from '../object.ts'
import { decodeObject } from './decode.ts'
import { asGiven, cloneDecoded, hasGivenEmpty } from './given-empty.ts'

const decoded = (json: Json) => asKubeObject(decodeObject(builtinSchema('rbac.authorization.k8s.io', 'v1', 'Role')(), json).object)
const given = (json: Json) => {
  const object = decoded(json)
  return asGiven(object, object.metadata)
}

test('a list without omitempty that was given empty is null in storage and a list in memory', () => {
  const role = { metadata: { name: 'a' }, rules: [] }
  assert.equal(asJson(decoded(role)).rules, null)
  assert.deepEqual(asJson(given(role)).rules, [])
  assert.deepEqual(asJson(given({ metadata: { name: 'a' }, rules: [{ verbs: [] }, { verbs: ['get'] }] })).rules, [
    { verbs: [] },
    { verbs: ['get'] },
  ])
})

test('a list that was not given stays null', () => {
  const object = decoded({ metadata: { name: 'a' } })
  assert.equal(asGiven(object, object.metadata), object)
})

test('managed fields given as an empty list are one, in a copy of the object too', () => {
  const object = cloneDecoded(decoded({ metadata: { name: 'a', managedFields: [] } }))
  assert.equal(object.metadata.managedFields, undefined)
  assert.deepEqual(asGiven(object, object.metadata).metadata.managedFields, [])
})

test('a list or map that was given empty is known until something fills it', () => {
  const policy = (spec: Json) =>
    asKubeObject(decodeObject(builtinSchema('networking.k8s.io', 'v1', 'NetworkPolicy')(), { metadata: { name: 'a' }, spec }).object)
  assert.equal(hasGivenEmpty(policy({ podSelector: {} })), false)
  assert.equal(hasGivenEmpty(policy({ podSelector: { matchLabels: {} } })), true)
  assert.equal(hasGivenEmpty(cloneDecoded(policy({ egress: [{ to: [] }] }))), true)
  const filled = policy({ policyTypes: [] })
  Object.assign(filled.spec as object, { policyTypes: ['Ingress'] })
  assert.equal(hasGivenEmpty(filled), false)
})
