import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../../machinery/object.ts'
import type { JSONSchemaProps } from '../../../resources/types/apiextensions.ts'
import { customResourceDefinition } from '../../builders.ts'
import { type FieldChanges, fieldChanges, fieldName } from './field-changes.ts'

const MOST_FIELDS = 400

const sample = (spec: unknown): KubeObject => ({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' }, spec })
const changesOf = (schema: JSONSchemaProps, spec: unknown): FieldChanges =>
  fieldChanges(sample(spec), customResourceDefinition({ group: 'example.com', kind: 'Gadget', spec: schema }), MOST_FIELDS)
const namesOf = ({ changes }: FieldChanges) => [...new Set(changes.map(fieldName))]
const valuesOf = (field: JSONSchemaProps, value?: unknown) =>
  changesOf({ type: 'object', properties: { field } }, { field: value }).changes.map((change) => change.value)

const ANYTHING: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

test('of 3,000 fields, those that the sample sets are changed, and the first of the others', () => {
  const fields = Array.from({ length: 3000 }, (_, i) => [`f${i}`, { type: 'boolean' }] as const)
  const found = changesOf({ type: 'object', properties: Object.fromEntries(fields) }, { f2999: true })
  assert.deepEqual(found.fields, { found: 3000, tried: MOST_FIELDS })
  assert.equal(namesOf(found)[0], 'spec.f2999')
  assert.equal(namesOf(found).length, MOST_FIELDS)
})

test('of equally near fields, each part of the spec has one in turn', () => {
  const part = (count: number): JSONSchemaProps => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: 'boolean' }] as const)),
  })
  const names = namesOf(changesOf({ type: 'object', properties: { large: part(1000), small: part(2), other: part(300) } }, {}))
  const of = (name: string) => names.filter((field) => field.startsWith(`spec.${name}.`)).length
  assert.deepEqual([of('small'), of('large') - of('other')], [2, 1])
  assert.deepEqual(names.slice(3, 6), ['spec.large.f0', 'spec.small.f0', 'spec.other.f0'])
})

test('without a schema, the fields of the sample are changed', () => {
  assert.deepEqual(namesOf(changesOf({}, { size: 1, tls: { on: true } })), ['spec.size', 'spec.tls', 'spec.tls.on'])
})

test('a schema that allows anything in itself has an end', () => {
  const deep = Array.from({ length: 50 }).reduce<unknown>((inner) => ({ inner, size: 1 }), {})
  const { fields } = changesOf({ ...ANYTHING, properties: { inner: ANYTHING } }, deep)
  assert.ok(fields.found > 5 && fields.found < 50, String(fields.found))
})

for (const [name, field, value, values] of [
  ['a switch that is on by default is switched off', { type: 'boolean', default: true }, undefined, [false]],
  ['a number that is not set counts from its default', { type: 'integer', minimum: 0, default: 3 }, undefined, [4, 2, 0, -1]],
  ['a quantity grows and shrinks', { type: 'string' }, '10Gi', ['11Gi', '9Gi', undefined]],
  ['a text without a number gets a letter', { type: 'string' }, 'a', ['ax', undefined]],
] as const)
  test(name, () => assert.deepEqual(valuesOf(field, value), values))
