import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldSchema, goFieldName, goForm } from './go-form.ts'
import { builtinSchema } from './schema.ts'

for (const [json, go] of Object.entries({
  apiGroup: 'APIGroup',
  uid: 'UID',
  ip: 'IP',
  cidrs: 'CIDRs',
  ipBlock: 'IPBlock',
  port: 'Port',
  csi: 'CSI',
}))
  test(`fields get Go's names: ${JSON.stringify(json)}`, () => assert.equal(goFieldName(json), go))

test('a value has every field of its internal type; what is absent is zero', () => {
  const reference = fieldSchema(builtinSchema('', 'v1', 'Event')(), 'involvedObject')
  assert.deepEqual(goForm({ kind: 'Pod' }, reference), {
    Kind: 'Pod',
    Namespace: '',
    Name: '',
    UID: '',
    APIVersion: '',
    ResourceVersion: '',
    FieldPath: '',
  })
})

test('types of the machinery keep their JSON names', () => {
  const policy = fieldSchema(builtinSchema('networking.k8s.io', 'v1', 'NetworkPolicy')(), 'spec')
  const form = goForm({ podSelector: { matchLabels: { a: 'b' } } }, policy)
  assert.deepEqual(form, { PodSelector: { matchLabels: { a: 'b' } }, Ingress: null, Egress: null, PolicyTypes: null })
})
