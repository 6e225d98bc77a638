import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cloneJson, isObject, type Json } from '../object.ts'
import { decodeYaml } from '../yaml/yaml.ts'
import { fillDefaults } from './fill-defaults.ts'
import { prune } from './prune.ts'
import type { SchemaProps } from './schema-props.ts'

const yaml = (text: string): Json => decodeYaml(text).value
const schemaOf = (text: string) => yaml(text) as SchemaProps
const OPEN = 'x-kubernetes-preserve-unknown-fields: true'
const EMBEDDED = 'x-kubernetes-embedded-resource: true'

/** A schema, a value, what is left of it, and the paths of what was dropped. */
const PRUNED: readonly (readonly [schema: string, value: string, left: string, ...dropped: string[]])[] = [
  ['{properties: {a: {type: string}}}', '{a: x, b: y}', '{a: x}', 'b'],
  ['{properties: {a: {properties: {b: {}}}}}', '{a: {b: 1, c: 2}}', '{a: {b: 1}}', 'a.c'],
  ['{}', '{a: 1, b: 2}', '{}', 'a', 'b'],
  [`{${OPEN}}`, '{a: {b: 1}}', '{a: {b: 1}}'],
  [`{${OPEN}, properties: {a: {type: object}}}`, '{a: {b: 1}, c: 2}', '{a: {}, c: 2}', 'a.b'],
  [`{${OPEN}, properties: {a: {type: object, ${OPEN}}}}`, '{a: {b: 1}, c: 2}', '{a: {b: 1}, c: 2}'],
  ['{additionalProperties: {properties: {b: {}}}}', '{a: {b: 1, c: 2}}', '{a: {b: 1}}', 'a.c'],
  ['{additionalProperties: true}', '{a: 1}', '{a: 1}'],
  ['{additionalProperties: true}', '{a: {b: 1}}', '{a: {}}', 'a.b'],
  [`{additionalProperties: true, ${OPEN}}`, '{a: {b: 1}, c: 1}', '{a: {}, c: 1}', 'a.b'],
  // Whether there may be such a field is a question of validation.
  ['{additionalProperties: false}', '{a: 1, b: {c: 1}}', '{a: 1, b: {}}', 'b.c'],
  ['{items: {nullable: true, properties: {a: {}}}}', '[null, {a: 1, b: 2}]', '[null, {a: 1}]', '[1].b'],
  [
    `{properties: {a: {${OPEN}, items: {properties: {b: {type: object}}}}}}`,
    '{a: [{b: {c: 1}, d: 2}]}',
    '{a: [{b: {}, d: 2}]}',
    'a[0].b.c',
  ],
  ['{items: {properties: {a: {}}}}', '[{a: 1, b: 2}, {b: 3}]', '[{a: 1}, {}]', '[0].b', '[1].b'],
  ['{items: {properties: {a: {}}}}', '[x, {b: 3}]', '[x, {}]', '[1].b'],
  ['{items: {type: string}}', '[x, y]', '[x, y]'],
  [`{properties: {a: {type: array, ${OPEN}}}}`, '{a: [{b: 1}]}', '{a: [{b: 1}]}'],
  ['{properties: {a: {type: array}}}', '{a: [{b: 1}]}', '{a: [{}]}', 'a[0].b'],
  [
    `{properties: {a: {${EMBEDDED}}}}`,
    '{a: {apiVersion: v1, kind: K, metadata: {x: 1}, spec: {}}}',
    '{a: {apiVersion: v1, kind: K, metadata: {x: 1}}}',
    'a.spec',
  ],
  [`{properties: {a: {items: {${EMBEDDED}}}}}`, '{a: [{kind: K, spec: {}}]}', '{a: [{kind: K}]}', 'a[0].spec'],
  [`{additionalProperties: {${EMBEDDED}}}`, '{a: {kind: K, spec: {}}}', '{a: {kind: K}}', 'a.spec'],
  ['{properties: {a: {}}}', '{constructor: 1, a: 2}', '{a: 2}', 'constructor'],
]
for (const [schema, value, left, ...dropped] of PRUNED)
  test(`pruning ${value} by ${schema} leaves ${left}`, () => {
    const pruned = yaml(value)
    const found: string[] = []
    prune(pruned, schemaOf(schema), false, found)
    assert.deepEqual({ pruned, found }, { pruned: yaml(left), found: dropped })
  })

test('of a whole object, apiVersion, kind and metadata stay whatever the schema has', () => {
  const object = yaml('{apiVersion: v1, kind: K, metadata: {name: a, x: 1}, spec: {}}')
  prune(object, {}, true)
  assert.deepEqual(object, yaml('{apiVersion: v1, kind: K, metadata: {name: a, x: 1}}'))
})

test('a hundred dropped fields are named, and all are dropped', () => {
  const value = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, i]))
  const found: string[] = []
  prune(value, {}, false, found)
  assert.deepEqual([Object.keys(value).length, found.length, found.at(-1)], [0, 100, 'f99'])
})

/** A schema, a value, and what it becomes. */
const FILLED: readonly (readonly [schema: string, value: string, filled: string])[] = [
  ['{properties: {a: {default: 1}}}', '{}', '{a: 1}'],
  ['{properties: {a: {default: 1}}}', '{a: 2}', '{a: 2}'],
  ['{properties: {a: {default: 1}}}', '{a: null}', '{a: 1}'],
  ['{properties: {a: {default: 1, nullable: true}}}', '{a: null}', '{a: null}'],
  ['{properties: {a: {default: 1, nullable: true}}}', '{}', '{a: 1}'],
  ['{properties: {a: {type: string}}}', '{a: null}', '{}'],
  ['{properties: {a: {type: string, nullable: true}}}', '{a: null}', '{a: null}'],
  ['{properties: {a: {default: false}, b: {default: ""}, c: {default: 0}}}', '{}', '{a: false, b: "", c: 0}'],
  ['{properties: {a: {default: {}, properties: {b: {default: 1}}}}}', '{}', '{a: {b: 1}}'],
  ['{properties: {a: {properties: {b: {default: 1}}}}}', '{}', '{}'],
  ['{properties: {a: {properties: {b: {default: 1}}}}}', '{a: {}}', '{a: {b: 1}}'],
  ['{properties: {a: {properties: {b: {default: 1}}}}}', '{a: null}', '{}'],
  ['{additionalProperties: {properties: {b: {default: 1}}}}', '{x: {}, y: {b: 2}}', '{x: {b: 1}, y: {b: 2}}'],
  ['{additionalProperties: {default: 1}}', '{x: null}', '{x: 1}'],
  ['{additionalProperties: {type: string}}', '{x: null, y: z}', '{y: z}'],
  ['{items: {properties: {b: {default: 1}}}}', '[{}, {b: 2}]', '[{b: 1}, {b: 2}]'],
  ['{items: {default: 1}}', '[null, 2]', '[1, 2]'],
  ['{items: {default: 1, nullable: true}}', '[null, 2]', '[null, 2]'],
  ['{items: {type: string}}', '[null]', '[null]'],
  ['{}', '{a: null}', '{a: null}'],
  ['{properties: {a: {default: 1}}}', '[]', '[]'],
]
for (const [schema, value, filled] of FILLED)
  test(`defaults of ${schema} make ${value} ${filled}`, () => {
    const found = yaml(value)
    fillDefaults(found, schemaOf(schema))
    assert.deepEqual(found, yaml(filled))
  })

test('a default is copied: two objects share nothing', () => {
  const schema = schemaOf('{properties: {a: {default: {b: []}}}}')
  const [one, two] = [yaml('{}'), yaml('{}')]
  fillDefaults(one, schema)
  fillDefaults(two, schema)
  assert.ok(isObject(one) && isObject(two))
  assert.deepEqual(one, two)
  assert.notEqual(one.a, two.a)
})

test('nulls are kept on request', () => {
  const value = yaml('{a: null, b: null}')
  fillDefaults(value, schemaOf('{properties: {a: {type: string}, b: {default: 1}}}'), true)
  assert.deepEqual(value, yaml('{a: null, b: 1}'))
})

const { schema: anySchema } = fc.letrec<{ schema: SchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constant<SchemaProps>({ type: 'string' }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }).map((properties): SchemaProps => ({ properties })),
    tie('schema').map((items): SchemaProps => ({ items })),
    tie('schema').map((additionalProperties): SchemaProps => ({ additionalProperties })),
    fc.constant<SchemaProps>({ [OPEN.split(':')[0] ?? '']: true }),
  ),
}))
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>('x', 1, null),
    fc.dictionary(fc.constantFrom('a', 'b', 'd'), tie('value'), { maxKeys: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}))

/** Pruning as its documentation tells it: a field stays when the schema specifies it, or preserves what it does not know. */
function pruned(value: Json, schema: SchemaProps | undefined, inherited = false): Json {
  const open = inherited || schema?.['x-kubernetes-preserve-unknown-fields'] === true
  if (Array.isArray(value)) {
    const items = Array.isArray(schema?.items) ? undefined : schema?.items
    return items === undefined && open ? value : value.map((item) => pruned(item, items, open))
  }
  if (!isObject(value)) return value
  const values = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const kept = Object.entries(value).flatMap(([name, below]): [string, Json][] => {
    const known = schema?.properties?.[name] ?? values
    if (known === undefined) return open ? [[name, below ?? null]] : []
    return [[name, pruned(below ?? null, known)]]
  })
  return Object.fromEntries(kept)
}

test('pruning leaves what the schema specifies, and does nothing the second time', () => {
  fc.assert(
    fc.property(anySchema, anyValue, (schema, value) => {
      const found = cloneJson(value)
      prune(found, schema, false)
      assert.deepEqual(found, cloneJson(pruned(value, schema)))
      const again = cloneJson(found)
      prune(again, schema, false)
      assert.deepEqual(again, found)
    }),
    { numRuns: 1000 },
  )
})
