import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaProps } from '../../structural/schema-props.ts'
import { toSchema } from '../../structural/to-schema.ts'
import { type TypedNode, typedNode } from './typed-node.ts'

/** What each path of a type is: `.spec.list[].a`. */
function kindsOf(schema: SchemaProps, paths: readonly string[]): readonly (string | undefined)[] {
  const at = (node: TypedNode | undefined, step: string) => (step === '[]' ? node?.items : node?.child(step))
  const root = typedNode(toSchema(schema))
  return paths.map((path) => path.split('.').reduce<TypedNode | undefined>(at, root)?.kind)
}

const INNER: SchemaProps = { type: 'object', properties: { n: { type: 'integer' } } }
const PARTS: SchemaProps = {
  type: 'object',
  properties: {
    in: INNER,
    each: { type: 'object', additionalProperties: INNER },
    list: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'], items: INNER },
  },
}
const PATHS = ['free', 'in.n', 'in.free', 'each.a.free', 'list.[].free', 'list.[].n']

test('a type that declares its fields has no others', () =>
  assert.deepEqual(kindsOf(PARTS, PATHS), [undefined, 'scalar', undefined, undefined, undefined, 'scalar']))

test('a type that preserves unknown fields opens all types declared in it', () =>
  assert.deepEqual(kindsOf({ ...PARTS, 'x-kubernetes-preserve-unknown-fields': true }, PATHS), [
    'any',
    'scalar',
    'any',
    'any',
    'any',
    'scalar',
  ]))

test('a type is open only where a type around it is', () => {
  const both: SchemaProps = {
    type: 'object',
    properties: { closed: INNER, open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { in: INNER } } },
  }
  assert.deepEqual(kindsOf(both, ['closed.free', 'open.in.free']), [undefined, 'any'])
})

test('a type without any field has the form of its value', () => assert.deepEqual(kindsOf({ type: 'object' }, ['free']), ['any']))
