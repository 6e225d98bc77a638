import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinSchema } from '../../resources/schema.ts'
import { faultText } from '../field-error.ts'
import { isObject, type Json } from '../object.ts'
import { decodeYaml } from '../yaml/yaml.ts'
import { checkEmbedded, coerceEmbedded, coerceMeta } from './embedded-meta.ts'
import type { SchemaProps } from './schema-props.ts'

const yaml = (text: string): Json => decodeYaml(text).value
const schemaOf = (text: string) => yaml(text) as SchemaProps
const pod = builtinSchema('', 'v1', 'Pod')()
const objectMeta = (pod.type === 'struct' ? pod.fields.get('metadata')?.schema : undefined) ?? assert.fail('pods have metadata')
const EMBEDDED = '{type: object, x-kubernetes-embedded-resource: true}'
const WORD = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end"

/** A schema, a value, and the faults of the whole objects inside of it (their start). */
const CHECKED: readonly (readonly [schema: string, value: string, ...faults: string[]])[] = [
  [`{properties: {a: ${EMBEDDED}}}`, '{a: {apiVersion: v1, kind: Pod}}'],
  [`{properties: {a: ${EMBEDDED}}}`, '{a: {}}', 'a.apiVersion: Required value', 'a.kind: Required value'],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: "", kind: ""}}',
    'a.apiVersion: Invalid value: "": must not be empty',
    'a.kind: Invalid value: "": must not be empty',
  ],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: a/b/c, kind: Pod}}',
    'a.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: a/b, kind: "9"}}',
    `a.kind: Invalid value: "9": may have mixed case, but should otherwise match: ${WORD}`,
  ],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: 5, kind: [x]}}',
    'a.apiVersion: Invalid value: 5: must be a string',
    'a.kind: Invalid value: ["x"]: must be a string',
  ],
  [`{properties: {a: ${EMBEDDED}}}`, '{a: x}'],
  [`{properties: {a: ${EMBEDDED}}}`, '{b: {}}'],
  [`{properties: {a: {items: ${EMBEDDED}}}}`, '{a: [{apiVersion: v1, kind: Pod}, {kind: Pod}]}', 'a[1].apiVersion: Required value'],
  [`{additionalProperties: ${EMBEDDED}}`, '{a: {kind: Pod}}', '[a].apiVersion: Required value'],
  [`{properties: {a: {additionalProperties: ${EMBEDDED}}}}`, '{a: {b: {kind: Pod}}}', 'a[b].apiVersion: Required value'],
  [
    `{properties: {a: {type: object, x-kubernetes-embedded-resource: true, properties: {b: ${EMBEDDED}}}}}`,
    '{a: {apiVersion: v1, kind: Pod, b: {kind: Pod}}}',
    'a.b.apiVersion: Required value',
  ],
  [`{properties: {a: ${EMBEDDED}}}`, '{a: {apiVersion: v1, kind: Pod, metadata: {}}}'],
  [`{properties: {a: ${EMBEDDED}}}`, '{a: {apiVersion: v1, kind: Pod, metadata: {labels: {b: c}}}}'],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: v1, kind: Pod, metadata: {name: a/b}}}',
    'a.metadata.name: Invalid value: "a/b": may not contain \'/\'',
  ],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: v1, kind: Pod, metadata: {generateName: a/}}}',
    'a.metadata.generateName: Invalid value: "a/": may not contain \'/\'',
  ],
  [`{properties: {a: ${EMBEDDED}}}`, '{a: {apiVersion: v1, kind: Pod, metadata: {namespace: "", name: ""}}}'],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: v1, kind: Pod, metadata: {namespace: A, name: b}}}',
    'a.metadata.namespace: Invalid value: "A"',
  ],
  [
    `{properties: {a: ${EMBEDDED}}}`,
    '{a: {apiVersion: v1, kind: Pod, metadata: {labels: {"b c": d}}}}',
    'a.metadata.labels: Invalid value: "b c"',
  ],
  ['{properties: {a: {type: object}}}', '{a: {kind: 5}}'],
]
for (const [schema, value, ...faults] of CHECKED)
  test(`objects inside of ${value} by ${schema}`, () => {
    const found = checkEmbedded(yaml(value), schemaOf(schema)).map(faultText)
    assert.deepEqual(
      found.map((fault, i) => fault.slice(0, faults[i]?.length)),
      faults,
    )
  })

test('the object itself is one when the caller names it so, at the path that the caller names', () => {
  for (const schema of ['{type: object}', `{properties: {b: ${EMBEDDED}}}`]) {
    assert.deepEqual(checkEmbedded(yaml('{kind: Pod}'), schemaOf(schema), { root: true }).map(faultText), ['apiVersion: Required value'])
    assert.deepEqual(checkEmbedded(yaml('{kind: Pod}'), schemaOf(schema), { root: true, path: 'x' }).map(faultText), [
      'x.apiVersion: Required value',
    ])
    assert.deepEqual(checkEmbedded(yaml('{kind: Pod}'), schemaOf(schema)), [])
  }
})

/** A value, and what its embedded objects become (or the error). */
const COERCED: readonly (readonly [value: string, left: string, ...dropped: string[]])[] = [
  ['{a: {metadata: {name: x, labels: {b: c}}}}', '{a: {metadata: {name: x, labels: {b: c}}}}'],
  ['{a: {metadata: null}}', '{a: {metadata: {}}}'],
  ['{a: {spec: {metadata: 5}}}', '{a: {spec: {metadata: 5}}}'],
  ['{a: {metadata: {name: x, other: 5}}}', '{a: {metadata: {name: x}}}', 'a.metadata.other'],
  ['{a: {metadata: {name: null}}}', '{a: {metadata: {}}}'],
]
for (const [value, left, ...dropped] of COERCED)
  test(`metadata in Go's form: ${value}`, () => {
    const object = yaml(value)
    const found: string[] = []
    coerceEmbedded(object, schemaOf(`{properties: {a: ${EMBEDDED}}}`), objectMeta, { found })
    assert.deepEqual([object, found], [yaml(left), dropped])
  })

const REFUSED: readonly (readonly [value: string, message: string])[] = [
  ['{a: {apiVersion: 5}}', 'a.apiVersion: Invalid value: 5: must be a string'],
  ['{a: {kind: [x]}}', 'a.kind: Invalid value: ["x"]: must be a string'],
  ['{a: {metadata: 5}}', 'a.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type v1.ObjectMeta'],
  ['{a: {metadata: [x]}}', 'a.metadata: Invalid value: ["x"]: json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
  ['{a: {metadata: true}}', 'a.metadata: Invalid value: true: json: cannot unmarshal bool into Go value of type v1.ObjectMeta'],
  [
    '{a: {metadata: {name: 5}}}',
    'a.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  ],
]
for (const [value, message] of REFUSED)
  test(`metadata of a wrong type: ${value}`, () =>
    assert.throws(
      () => coerceEmbedded(yaml(value), schemaOf(`{properties: {a: ${EMBEDDED}}}`), objectMeta),
      (error) => error instanceof Error && error.message.startsWith(message),
    ))

test("the object's own metadata is refused in other words", () => {
  assert.throws(() => coerceMeta(5, objectMeta, 'metadata'), {
    message: 'json: cannot unmarshal number into Go value of type v1.ObjectMeta',
  })
  assert.throws(
    () => coerceMeta({ name: 5 }, objectMeta, 'metadata'),
    (error) => error instanceof Error && !error.message.includes('Invalid value'),
  )
  const dropped: string[] = []
  assert.ok(isObject(coerceMeta({ name: 'a', other: 1 }, objectMeta, 'metadata', dropped)))
  assert.deepEqual(dropped, ['metadata.other'])
  assert.deepEqual(coerceMeta(null, objectMeta, 'metadata'), {})
})
