import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaProps } from './schema-props.ts'
import { toSchema } from './to-schema.ts'

const ROWS: readonly (readonly [rule: string, props: SchemaProps, schema: object])[] = [
  [
    'values of one type make a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { type: 'map', values: { type: 'scalar', scalar: 'string' } },
  ],
  ['any values make a map', { type: 'object', additionalProperties: true }, { type: 'map', values: { type: 'any' } }],
  [
    'properties make a struct, whatever else is allowed',
    { type: 'object', additionalProperties: true, properties: { a: { type: 'boolean' } } },
    { type: 'struct', fields: new Map([['a', { schema: { type: 'scalar', scalar: 'bool' }, tag: 0, omitEmpty: true }]]), required: [] },
  ],
  [
    'an object without properties is an empty struct',
    { type: 'object', required: ['a'] },
    { type: 'struct', fields: new Map(), required: ['a'] },
  ],
  [
    'unknown fields may be preserved',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'struct', fields: new Map(), required: [], preserveUnknown: true },
  ],
  [
    'a map may be atomic',
    { type: 'object', additionalProperties: true, 'x-kubernetes-map-type': 'atomic' },
    { type: 'map', values: { type: 'any' }, mapType: 'atomic' },
  ],
  ['a default of null is none', { type: 'number', default: null }, { type: 'scalar', scalar: 'number' }],
  [
    'defaults, descriptions and null are kept',
    { type: 'boolean', default: true, description: 'd', nullable: true },
    { type: 'scalar', scalar: 'bool', description: 'd', nullable: true, default: true },
  ],
]

for (const [rule, props, schema] of ROWS) test(rule, () => assert.deepEqual(toSchema(props), schema))
