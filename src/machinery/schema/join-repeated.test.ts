import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../base/steps.ts'
import { builtinSchema } from '../../resources/schema.ts'
import { decodeJson } from '../json/strict-json.ts'
import { decodeObject } from './decode.ts'
import { joinRepeated } from './join-repeated.ts'

const pod = builtinSchema('', 'v1', 'Pod')()

function joined(spec: string, schema = pod) {
  const { value, repeated = new Map(), ...read } = decodeJson(`{"spec":{${spec}}}`)
  return atOnce(joinRepeated(schema, { json: value, repeated, ...read }))
}

for (const [rule, spec, wanted] of [
  [
    'items of a list are joined one by one',
    '"tolerations":[{"key":"a"},{"key":"b"}],"tolerations":[{"value":"c"}]',
    { tolerations: [{ key: 'a', value: 'c' }] },
  ],
  [
    'an item is joined with one that a longer list had in its place',
    '"tolerations":[{"key":"a"},{"key":"b"}],"tolerations":[{}],"tolerations":[{},{"value":"d"}]',
    { tolerations: [{ key: 'a' }, { key: 'b', value: 'd' }] },
  ],
  [
    'an empty list begins anew',
    '"tolerations":[{"key":"a"}],"tolerations":[],"tolerations":[{"value":"c"}]',
    { tolerations: [{ value: 'c' }] },
  ],
  ['a map is joined key by key', '"nodeSelector":{"a":"b","c":"d"},"nodeSelector":{"a":"e"}', { nodeSelector: { a: 'e', c: 'd' } }],
  [
    'a null resets pointers',
    '"securityContext":{"runAsUser":1},"securityContext":null,"securityContext":{"runAsGroup":2}',
    { securityContext: { runAsGroup: 2 } },
  ],
  [
    'a null leaves plain values',
    '"restartPolicy":"Never","restartPolicy":null,"hostNetwork":true,"hostNetwork":null',
    { restartPolicy: 'Never', hostNetwork: true },
  ],
  ['the first fault stays', '"containers":"x","containers":[]', { containers: 'x' }],
] as const)
  test(rule, () => assert.deepEqual(joined(spec).json, { spec: wanted }))

test('raw values are replaced', () => {
  const { value, repeated = new Map(), ...read } = decodeJson('{"data":{"a":1},"data":{"b":2}}')
  const { json } = atOnce(joinRepeated(builtinSchema('apps', 'v1', 'ControllerRevision')(), { json: value, repeated, ...read }))
  assert.deepEqual(json, { data: { b: 2 } })
})

test('unknown fields and numbers are told as the text has them', () => {
  const { json, numbers, places } = joined('"x":1,"priority":1,"containers":[{"z":1}],"containers":[{"y":1}],"priority":1.0')
  assert.throws(
    () => decodeObject(pod, json, { numbers }),
    /cannot unmarshal number 1.0 into Go struct field PodSpec.spec.priority of type int32/,
  )
  const { warnings } = decodeObject(pod, json, { places, fieldValidation: 'Warn' })
  assert.deepEqual(warnings, ['unknown field "spec.x"', 'unknown field "spec.containers[0].z"', 'unknown field "spec.containers[0].y"'])
})

// What copies all that came before for each of them does not come to its end.
test('many numbers and many repetitions are joined in linear time', () => {
  const many = 100_000
  const list = joined(`"x":1,"x":2,"securityContext":{"supplementalGroups":[${Array(many).fill('1.0').join()}]}`)
  const { supplementalGroups } = (list.json as { spec: { securityContext: { supplementalGroups: object } } }).spec.securityContext
  assert.equal(list.numbers.get(supplementalGroups)?.size, many)
  const { json, places } = joined(Array.from({ length: many }, (_, i) => `"securityContext":{"u${i}":1}`).join())
  const { securityContext } = (json as { spec: { securityContext: object } }).spec
  assert.equal(Object.keys(securityContext).length, many)
  assert.equal(places.fields.get(securityContext)?.size, many)
})

test('a value that is too deep to be decoded is no fault of its own', () => {
  const levels = 5000
  const deep = `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`
  const schema = builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')()
  const versions = `"versions":[{"schema":{"openAPIV3Schema":${deep}}}]`
  assert.ok(joined(`"scope":"x","scope":"y",${versions}`, schema).json)
})
