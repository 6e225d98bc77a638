import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../base/steps.ts'
import { faultText, MAX_FAULTS } from '../field-error.ts'
import { decodeYaml } from '../yaml/yaml.ts'
import { checkSchema } from './check-schema.ts'
import type { SchemaProps } from './schema-props.ts'

const LIST_TYPE = 'x-kubernetes-list-type'
const KEYS = 'x-kubernetes-list-map-keys'
const MAP_TYPE = 'x-kubernetes-map-type'
const keyed = (properties: string, more = '') =>
  `{type: array, ${LIST_TYPE}: map, ${KEYS}: [a], items: {type: object, properties: {${properties}}${more}}}`

/** A schema in YAML, and its faults below the path `x`, in the words of apiextensions-apiserver's validation. */
type Row = readonly [schema: string, ...faults: string[]]

const KEYWORDS: readonly Row[] = [
  ['{type: string}'],
  ['{id: ""}'],
  ['{id: a}', 'x.id: Forbidden: id is not supported'],
  ['{additionalItems: true}', 'x.additionalItems: Forbidden: additionalItems is not supported'],
  ['{patternProperties: {}}'],
  ['{patternProperties: {a: {type: string}}}', 'x.patternProperties: Forbidden: patternProperties is not supported'],
  ['{definitions: {a: {type: string}}}', 'x.definitions: Forbidden: definitions is not supported'],
  [
    '{definitions: {a: {id: b}}}',
    'x.definitions: Forbidden: definitions is not supported',
    'x.definitions[a].id: Forbidden: id is not supported',
  ],
  [
    '{dependencies: {a: [b], c: {id: d}}}',
    'x.dependencies: Forbidden: dependencies is not supported',
    'x.dependencies[c].id: Forbidden: id is not supported',
  ],
  [
    `{${LIST_TYPE}: x}`,
    'x.type: Required value: must be array if x-kubernetes-list-type is specified',
    'x.x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"',
  ],
  ['{dependencies: {}}', 'x.dependencies: Forbidden: dependencies is not supported'],
  ['{dependencies: {a: null}}', 'x.dependencies: Forbidden: dependencies is not supported'],
  ['{$ref: a}', 'x.$ref: Forbidden: $ref is not supported'],
  ['{$ref: ""}', 'x.$ref: Forbidden: $ref is not supported'],
  ['{uniqueItems: false}'],
  ['{uniqueItems: true}', 'x.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic'],
  ['{items: []}'],
  ['{items: [{type: string}]}', 'x.items: Forbidden: items must be a schema object and not an array'],
  [
    '{items: [{id: b}]}',
    'x.items: Forbidden: items must be a schema object and not an array',
    'x.items[0].id: Forbidden: id is not supported',
  ],
  ['{additionalProperties: true, properties: {a: {type: string}}}'],
  ['{additionalProperties: {type: string}}'],
  [
    '{additionalProperties: {type: string}, properties: {a: {type: string}}}',
    'x.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
  ],
  [
    '{additionalProperties: false, properties: {a: {type: string}}}',
    'x.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
  ],
  ['{x-kubernetes-preserve-unknown-fields: true}'],
  [
    '{x-kubernetes-preserve-unknown-fields: false}',
    'x.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
  ],
  [
    '{type: "null"}',
    'x.type: Forbidden: type cannot be set to null, use nullable as an alternative',
    'x.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
  ],
  ['{type: text}', 'x.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"'],
]

const WHERE: readonly Row[] = [
  ['{additionalProperties: {id: b}}', 'x.additionalProperties.id: Forbidden: id is not supported'],
  ['{properties: {a: {id: b}}}', 'x.properties[a].id: Forbidden: id is not supported'],
  ['{not: {id: b}}', 'x.not.id: Forbidden: id is not supported'],
  ['{allOf: [{}, {id: b}]}', 'x.allOf[1].id: Forbidden: id is not supported'],
  ['{oneOf: [{id: b}]}', 'x.oneOf[0].id: Forbidden: id is not supported'],
  ['{anyOf: [{id: b}]}', 'x.anyOf[0].id: Forbidden: id is not supported'],
  ['{items: {id: b}}', 'x.items.id: Forbidden: id is not supported'],
]

const META: readonly Row[] = [
  ['{properties: {a: {default: 1}}}'],
  ['{properties: {kind: {default: A}}}', 'x.properties[kind].default: Forbidden: must not be set in top-level kind'],
  ['{properties: {apiVersion: {default: A}}}', 'x.properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion'],
  [
    '{properties: {metadata: {properties: {name: {default: A}}}}}',
    'x.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
  ],
  ['{properties: {a: {properties: {kind: {default: A}}}}}'],
  [
    '{properties: {metadata: {x-kubernetes-embedded-resource: true}}}',
    'x.properties[metadata].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta',
  ],
  [
    '{properties: {a: {x-kubernetes-embedded-resource: true, properties: {metadata: {properties: {b: {x-kubernetes-embedded-resource: true}}}}}}}',
    'x.properties[a].properties[metadata].properties[b].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta',
  ],
]

const MAPS: readonly Row[] = [
  [`{type: object, ${MAP_TYPE}: atomic}`],
  [`{type: object, ${MAP_TYPE}: granular}`],
  [`{type: object, ${MAP_TYPE}: other}`, `x.${MAP_TYPE}: Unsupported value: "other": supported values: "atomic", "granular"`],
  [`{type: array, ${MAP_TYPE}: atomic}`, `x.type: Invalid value: "array": must be object if ${MAP_TYPE} is specified`],
  [`{${MAP_TYPE}: atomic}`, `x.type: Required value: must be object if ${MAP_TYPE} is specified`],
]

const SETS: readonly Row[] = [
  [`{type: array, ${LIST_TYPE}: atomic, items: {type: object, nullable: true}}`],
  [`{type: array, ${LIST_TYPE}: other}`, `x.${LIST_TYPE}: Unsupported value: "other": supported values: "atomic", "set", "map"`],
  [`{type: object, ${LIST_TYPE}: set}`, `x.type: Invalid value: "object": must be array if ${LIST_TYPE} is specified`],
  [`{${LIST_TYPE}: set}`, `x.type: Required value: must be array if ${LIST_TYPE} is specified`],
  [`{type: array, ${LIST_TYPE}: set, items: {type: string}}`],
  [
    `{type: array, ${LIST_TYPE}: set, items: {type: string, nullable: true}}`,
    `x.items.nullable: Forbidden: cannot be nullable when ${LIST_TYPE} is set`,
  ],
  [`{type: array, ${LIST_TYPE}: set, items: {type: object, ${MAP_TYPE}: atomic}}`],
  [
    `{type: object, ${LIST_TYPE}: set, items: {type: object, nullable: true}}`,
    `x.type: Invalid value: "object": must be array if ${LIST_TYPE} is specified`,
    `x.items.nullable: Forbidden: cannot be nullable when ${LIST_TYPE} is set`,
  ],
  [
    `{type: array, ${LIST_TYPE}: set, items: {type: object}}`,
    `x.items.${MAP_TYPE}: Invalid value: null: must be atomic as item of a list with ${LIST_TYPE}=set`,
  ],
  [`{type: array, ${LIST_TYPE}: set, items: {type: array, ${LIST_TYPE}: atomic, items: {type: string}}}`],
  [`{type: array, ${LIST_TYPE}: set, items: {type: array, items: {type: string}}}`],
  [
    `{type: array, ${LIST_TYPE}: set, items: {type: array, ${LIST_TYPE}: set, items: {type: string}}}`,
    `x.items.${LIST_TYPE}: Invalid value: "set": must be atomic as item of a list with ${LIST_TYPE}=set`,
  ],
  [`{type: array, ${KEYS}: [a]}`, `x.${LIST_TYPE}: Required value: must be map if ${KEYS} is non-empty`],
  [`{type: array, ${LIST_TYPE}: atomic, ${KEYS}: [a]}`, `x.${LIST_TYPE}: Invalid value: "atomic": must be map if ${KEYS} is non-empty`],
]

const KEYED: readonly Row[] = [
  [keyed('a: {type: string}', ', required: [a]')],
  [keyed('a: {type: string, default: b}')],
  [keyed('a: {type: string, default: ""}')],
  [
    keyed('a: {type: string}'),
    `x.items.properties[a].default: Required value: this property is in ${KEYS}, so it must have a default or be a required property`,
  ],
  [
    keyed('a: {type: string, nullable: true}', ', required: [a]'),
    `x.items.properties[a].nullable: Forbidden: this property is in ${KEYS}, so it cannot be nullable`,
  ],
  [
    keyed('a: {type: string}', ', required: [a], nullable: true'),
    `x.items.nullable: Forbidden: cannot be nullable when ${LIST_TYPE} is map`,
  ],
  [
    `{type: object, ${LIST_TYPE}: map, ${KEYS}: [a], items: {type: object, properties: {a: {type: string}}}}`,
    `x.type: Invalid value: "object": must be array if ${LIST_TYPE} is specified`,
    `x.items.properties[a].default: Required value: this property is in ${KEYS}, so it must have a default or be a required property`,
  ],
  [keyed('b: {type: string}'), `x.${KEYS}: Invalid value: ["a"]: entries must all be names of item properties`],
  ...['array', 'object'].map(
    (type): Row => [
      keyed(`a: {type: ${type}}`, ', required: [a]'),
      `x.items.properties[a].type: Invalid value: "object": must be a scalar type if parent array's ${LIST_TYPE} is map`,
    ],
  ),
  [`{type: array, ${LIST_TYPE}: map, items: {type: object}}`, `x.${KEYS}: Required value: must not be empty if ${LIST_TYPE} is map`],
  [`{type: array, ${LIST_TYPE}: map, ${KEYS}: [a]}`, `x.items: Required value: must have a schema if ${LIST_TYPE} is map`],
  [
    `{type: array, ${LIST_TYPE}: map, ${KEYS}: [a], items: {type: string}}`,
    `x.items.type: Invalid value: "string": must be object if parent array's ${LIST_TYPE} is map`,
  ],
  [
    `{type: array, ${LIST_TYPE}: map, ${KEYS}: [a, a], items: {type: object, required: [a], properties: {a: {type: string}}}}`,
    `x.${KEYS}: Invalid value: ["a","a"]: must not contain duplicate entries`,
  ],
]

for (const [title, rows] of Object.entries({
  'keywords that no definition may use': KEYWORDS,
  'faults are found at every depth': WHERE,
  'metadata has no defaults': META,
  'types of maps': MAPS,
  'types of lists': SETS,
  'lists with keys': KEYED,
}))
  for (const [schema, ...faults] of rows)
    test(`${title}: ${schema}`, () => {
      assert.deepEqual(atOnce(checkSchema(decodeYaml(schema).value as SchemaProps, 'x')).faults.map(faultText), faults)
    })

test('a fault makes its level and those above unsound, and no other', () => {
  const [bad, good]: SchemaProps[] = [{ id: 'a' }, { type: 'string' }]
  const parent: SchemaProps = { properties: { bad: bad ?? {}, good: good ?? {} } }
  const other: SchemaProps = { items: { type: 'string' } }
  const root: SchemaProps = { properties: { parent, other } }
  const { unsound } = atOnce(checkSchema(root, 'x'))
  assert.deepEqual([...unsound], [bad, parent, root])
})

test('a schema of 100,000 faulty levels is looked at in steps, and only as far as faults are reported', () => {
  const schema: SchemaProps = { anyOf: Array.from({ length: 100_000 }, (_, i) => (i < 50_000 ? { type: 'string' } : { id: 'x' })) }
  const work = checkSchema(schema, 'x')
  let steps = 0
  let step = work.next()
  for (; step.done !== true; step = work.next()) steps++
  assert.equal(step.value.faults.length, MAX_FAULTS)
  assert.ok(steps >= 10, `${steps} steps`)
})
