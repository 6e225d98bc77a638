import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../base/steps.ts'
import { builtinSchema } from '../../resources/schema.ts'
import { decodeJson, encodeJson } from '../json/strict-json.ts'
import type { Json } from '../object.ts'
import { DecodeError, type DecodeOptions, decodeObject, decodeObjectInSteps, zeroValue } from './decode.ts'
import type { Schema } from './schema.ts'

const pod = builtinSchema('', 'v1', 'Pod')
const inPod = (spec: Json) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec })
const ofContainer = (fields: Record<string, Json>) => inPod({ containers: [{ name: 'm', ...fields }] })

const REFUSED: readonly (readonly [rule: string, body: Json, message: string])[] = [
  [
    'names the innermost struct',
    ofContainer({ image: 5 }),
    'json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string',
  ],
  [
    'names lists as Go does',
    ofContainer({ ports: 'x' }),
    'json: cannot unmarshal string into Go struct field Container.spec.containers.ports of type []v1.ContainerPort',
  ],
  [
    'names inlined structs on the way',
    inPod({ volumes: [{ name: 'v', emptyDir: 'x' }], containers: [] }),
    'json: cannot unmarshal string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
  ],
  [
    'shows numbers that are no integers',
    ofContainer({ ports: [{ containerPort: 1.5 }] }),
    'json: cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  ],
  [
    'shows numbers out of range',
    inPod({ priority: 2147483648 }),
    'json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32',
  ],
  [
    'reports the first fault',
    inPod({ nodeName: 1, hostname: 2 }),
    'json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string',
  ],
  [
    'lets the faults of own decoders win',
    inPod({ nodeName: 1, containers: [{ name: 'm', resources: { limits: { cpu: 'x' } } }] }),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    'names the type inside a time',
    { apiVersion: 'v1', kind: 'Pod', metadata: { deletionTimestamp: 1 } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.deletionTimestamp of type string',
  ],
]

for (const [rule, body, message] of REFUSED) {
  test(`the decoder ${rule}`, () => assert.throws(() => decodeObject(pod(), body), { name: 'DecodeError', message }))
}

const beyond = (schema: Schema, text: string) => {
  const { value, numbers } = decodeJson(text, { infinite: true })
  return decodeObject(schema, value, { numbers, fieldValidation: 'Warn' })
}
const revision = builtinSchema('apps', 'v1', 'ControllerRevision')
const definition = builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')
const maximum = '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"maximum":1e400}}}]}}'

for (const [field, schema, text, what] of [
  [
    'of 64 bits',
    pod,
    '{"spec":{"activeDeadlineSeconds":1e400}}',
    '1e400 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
  ],
  [
    'of 64 bits, by one',
    pod,
    '{"spec":{"activeDeadlineSeconds":-9223372036854775809}}',
    '-9223372036854775809 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
  ],
  ['of text', pod, '{"spec":{"nodeName":-1e400}}', 'into Go struct field PodSpec.spec.nodeName of type string'],
  [
    'with a fraction',
    definition,
    maximum,
    '1e400 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maximum of type float64',
  ],
  ['of any type', revision, '{"data":{"a":[{"b":1E+400}]}}', '1E+400 into Go value of type float64'],
] as const)
  test(`a number beyond the range of a field ${field} is refused as it is written`, () =>
    assert.throws(() => beyond(schema(), text), { name: 'DecodeError', message: `json: cannot unmarshal number ${what}` }))

test('a number beyond float64 may be a quantity, or in an unknown field', () => {
  const { object } = beyond(pod(), '{"spec":{"overhead":{"cpu":1e400},"containers":null}}')
  assert.deepEqual(object.spec, { containers: null, overhead: { cpu: '10e399' } })
  assert.deepEqual(beyond(pod(), '{"zz":[1e400]}').warnings, ['unknown field "zz"'])
})

test('fields are written as Go writes them', () => {
  const { object } = decodeObject(pod(), {
    spec: {
      hostNetwork: false,
      nodeName: null,
      volumes: [],
      priority: 0,
      containers: [{ resources: { limits: { cpu: '1000m', memory: 1024 } }, name: 'm', image: '' }],
    },
    metadata: { creationTimestamp: null, deletionTimestamp: '2026-01-01T01:00:00.5+01:00', labels: {} },
    kind: 'Pod',
  })
  assert.equal(
    JSON.stringify(object),
    '{"kind":"Pod","metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"containers":[{"name":"m","resources":{"limits":{"cpu":"1","memory":"1024"}}}],"priority":0},"status":{}}',
  )
})

test('unknown fields are reported once each, with their path', () => {
  const body = { ...inPod({ containers: [{ name: 'm', imagee: 1 }], x: { y: 1 } }), z: 1 }
  assert.deepEqual(decodeObject(pod(), body, { fieldValidation: 'Warn' }).warnings, [
    'unknown field "spec.containers[0].imagee"',
    'unknown field "spec.x"',
    'unknown field "z"',
  ])
  assert.throws(() => decodeObject(pod(), body, { fieldValidation: 'Strict', duplicates: ['spec'] }), {
    message:
      'strict decoding error: unknown field "spec.containers[0].imagee", unknown field "spec.x", unknown field "z", duplicate field "spec"',
  })
  assert.deepEqual(decodeObject(pod(), body).warnings, [])
})

test('what is in an unknown field is skipped: it has no duplicates', () => {
  const body = inPod({ containers: [], x: { y: 1 } })
  const duplicates = ['spec.x', 'spec.x.y', 'spec.xy', 'spec.x[0].y']
  assert.deepEqual(decodeObject(pod(), body, { fieldValidation: 'Warn', duplicates }).warnings, [
    'unknown field "spec.x"',
    'duplicate field "spec.xy"',
  ])
})

test('a number keeps the text that the body had', () => {
  const port = { containerPort: 80 }
  const body = ofContainer({ ports: [port] })
  const numbers = new Map([[port, new Map([['containerPort', '80.0']])]])
  assert.throws(() => decodeObject(pod(), body, { numbers }), {
    message: 'json: cannot unmarshal number 80.0 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  })
})

test('base64 is canonical, and faults are counted as Go counts', () => {
  const secret = builtinSchema('', 'v1', 'Secret')()
  const data = (text: Json) => decodeObject(secret, { data: { a: text } }).object.data
  assert.deepEqual(data('aGk='), { a: 'aGk=' })
  assert.deepEqual(data('aGl=\n'), { a: 'aGk=' })
  assert.deepEqual(data([104, 105]), { a: 'aGk=' })
  assert.throws(() => data('a b='), { message: 'illegal base64 data at input byte 1' })
  assert.throws(() => data('abc'), { message: 'illegal base64 data at input byte 0' })
  assert.throws(() => data('abcd=fgh'), { message: 'illegal base64 data at input byte 4' })
})

test('schemas inside schemas are decoded as Go does', () => {
  const crd = builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')()
  const decoded = (schema: Json) => decodeObject(crd, { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] } }).object
  const text = JSON.stringify(
    decoded({ properties: { a: { items: { type: 'string' }, additionalProperties: false, default: null, enum: [1, null] } } }),
  )
  assert.ok(text.includes('"a":{"enum":[1,null],"items":{"type":"string"},"additionalProperties":false}'), text)
  assert.throws(() => decoded({ additionalProperties: 'x' }), { message: 'boolean or JSON schema expected' })
})

test('keys from outside are only keys', () => {
  const body = JSON.parse('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"spec":{}}}') as Json
  const { object, warnings } = decodeObject(pod(), body, { fieldValidation: 'Warn' })
  assert.equal(JSON.stringify(object.metadata), '{"labels":{"__proto__":"x","constructor":"y"}}')
  assert.deepEqual(warnings, ['unknown field "__proto__"'])
})

test('empty lists that are always written are null, as they come back from storage', () => {
  const role = builtinSchema('rbac.authorization.k8s.io', 'v1', 'Role')()
  assert.equal(JSON.stringify(decodeObject(role, { rules: [] }).object), '{"metadata":{},"rules":null}')
  const list = builtinSchema('', 'v1', 'PodList')()
  assert.equal(JSON.stringify(decodeObject(list, { items: [] }).object), '{"metadata":{},"items":[]}')
})

test('a zero object has the fields that Go always writes', () => {
  assert.equal(JSON.stringify(zeroValue(pod())), '{"metadata":{},"spec":{"containers":null},"status":{}}')
})

test('any JSON is an object or a DecodeError, and what comes out goes in again unchanged', () => {
  const schemas = [pod(), builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')(), builtinSchema('', 'v1', 'Event')()]
  const known = [
    'metadata',
    'spec',
    'status',
    'containers',
    'labels',
    'name',
    'ports',
    'eventTime',
    'versions',
    'schema',
    'openAPIV3Schema',
    'items',
    'enum',
    '__proto__',
  ]
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 1.5, -1, 'x', '', '1', '1Gi', '2026-01-01T00:00:00Z'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...known), tie('tree'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(tree, fc.constantFrom(...schemas), (json, schema) => {
      try {
        const { object } = decodeObject(schema, json as Json, { fieldValidation: 'Warn' })
        assert.equal(JSON.stringify(decodeObject(schema, object).object), JSON.stringify(object))
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error
      }
    }),
    { numRuns: 1000 },
  )
})

test('an object nested without end is refused, not a crash', () => {
  const revision = builtinSchema('apps', 'v1', 'ControllerRevision')()
  const text = `${'{"data":'.repeat(9_000)}{}${'}'.repeat(9_000)}`
  assert.throws(() => decodeObject(revision, JSON.parse(text) as Json), { name: 'DecodeError', message: 'exceeded max depth' })
})

test('heavy objects are decoded in steps with the same result', () => {
  const padding = 'x'.repeat(130 * 1024)
  // Every map, struct and list becomes heavy by a member that is; to structs it is an unknown field.
  const padded = (of: Json): Json => {
    if (Array.isArray(of)) return [...of.map(padded), { padding }]
    if (of === null || typeof of !== 'object') return of
    return { ...Object.fromEntries(Object.entries(of).map(([name, below]) => [name, padded(below ?? null)])), padding }
  }
  const odd = fc.constantFrom<Json>(null, 1, 'x', true, [], {}, '1.50', '2026-01-01T00:00:00Z')
  const container = fc.record<Record<string, Json>>(
    {
      name: odd,
      env: fc.array(fc.record<Record<string, Json>>({ name: odd, value: odd }, { requiredKeys: [] }), { maxLength: 2 }),
      resources: fc.record<Record<string, Json>>({ limits: fc.dictionary(fc.constantFrom('cpu', 'a'), odd, { noNullPrototype: true }) }),
    },
    { requiredKeys: [] },
  )
  const body = fc.record<Record<string, Json>>(
    {
      metadata: fc.record<Record<string, Json>>({ labels: fc.oneof(odd, fc.dictionary(fc.constantFrom('a', 'b'), odd)), name: odd }),
      spec: fc.record<Record<string, Json>>(
        { containers: fc.oneof(odd, fc.array(fc.oneof(odd, container))), nodeSelector: odd },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )
  const answer = (decode: () => unknown) => {
    try {
      return decode()
    } catch (error) {
      if (error instanceof DecodeError) return [error.code, error.message]
      throw error
    }
  }
  const modes = fc.record<DecodeOptions>({ fieldValidation: fc.constantFrom('Strict', 'Warn', 'Ignore'), share: fc.boolean() })
  fc.assert(
    fc.property(body, modes, fc.boolean(), (json, options, heavy) => {
      const given = heavy ? padded(json) : json
      const found = answer(() => atOnce(decodeObjectInSteps(pod(), structuredClone(given), options)))
      assert.deepEqual(
        found,
        answer(() => decodeObject(pod(), structuredClone(given), options)),
      )
    }),
    { numRuns: 600 },
  )
})

test('a list with a hole, as a caller in the same process may have it, is decoded in steps as at once', () => {
  const holey = inPod({ containers: [{ name: 'a', args: [undefined, 'x'.repeat(130 * 1024)] }, undefined] } as unknown as Json)
  for (const share of [false, true]) {
    const { object } = decodeObject(pod(), holey, { share })
    assert.deepEqual(atOnce(decodeObjectInSteps(pod(), holey, { share })).object, object)
  }
})

test('the keys of a map are sorted, at once and in steps', () => {
  const json = { metadata: { labels: { z: '1', a: '2' } }, spec: { nodeSelector: { b: '1', a: '2' } } }
  const text = '{"metadata":{"labels":{"a":"2","z":"1"}},"spec":{"containers":null,"nodeSelector":{"a":"2","b":"1"}},"status":{}}'
  for (const share of [true, false]) assert.equal(JSON.stringify(decodeObject(pod(), json, { share }).object), text)
  const many = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`k${String(9000 - i).padStart(4, '0')}`, 'v']))
  for (const share of [true, false]) {
    const { object } = atOnce(decodeObjectInSteps(pod(), { metadata: { labels: many } }, { share }))
    const names = Object.keys((object.metadata as { labels: object }).labels)
    assert.deepEqual(names, Object.keys(many).toReversed())
  }
})

test('integers in raw extensions keep all digits, those in other values of any type are floats beyond an int64', () => {
  const parameters = '{"a":18446744073709551615,"b":[-9223372036854775809,9007199254740993,1.5],"c":{"d":7}}'
  const config = { devices: { config: [{ opaque: { driver: 'd.e', parameters: 0 } }] } }
  const text = JSON.stringify({ spec: config }).replace('"parameters":0', `"parameters":${parameters}`)
  const claim = beyond(builtinSchema('resource.k8s.io', 'v1', 'ResourceClaim')(), text)
  assert.ok(encodeJson(claim.object).includes(`"parameters":${parameters}`))
})
