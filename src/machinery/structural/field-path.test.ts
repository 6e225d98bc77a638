import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FieldPathError, followFieldPath } from './field-path.ts'
import type { SchemaProps } from './schema-props.ts'

const schema: SchemaProps = {
  properties: {
    spec: {
      properties: {
        a: { type: 'string' },
        'b.c': { type: 'integer' },
        "it's": { type: 'boolean' },
        labels: { additionalProperties: { type: 'number' } },
        open: { additionalProperties: true },
      },
    },
  },
}

for (const [path, text, type] of [
  ['.spec.a', 'spec.a', 'string'],
  [".spec['a']", 'spec.a', 'string'],
  [".spec['b.c']", 'spec.b.c', 'integer'],
  [".spec['it\\'s']", "spec.it's", 'boolean'],
  ['.spec.labels.x', 'spec.labels[x]', 'number'],
  ['.spec.labels..', 'spec.labels[.]', 'number'],
  [".spec.labels['x/y']", 'spec.labels[x/y]', 'number'],
] as const)
  test(`${path} leads to ${text}`, () => {
    const found = followFieldPath(path, schema, true)
    assert.deepEqual([found.text, found.schema.type], [text, type])
  })

test('the steps are names without notation', () => {
  assert.deepEqual(followFieldPath(".spec.labels['x.y']", schema, true).steps, ['spec', 'labels', 'x.y'])
  assert.deepEqual(followFieldPath('', schema, true), { text: '', steps: [], schema })
})

for (const [path, message] of [
  ['spec', 'expected [ or . but got: spec'],
  ['.', 'unexpected end of JSON path'],
  ['..spec', 'does not refer to a valid field'],
  ['.[a]', 'does not refer to a valid field'],
  ['.]', 'does not refer to a valid field'],
  ['.spec.nothing', 'does not refer to a valid field'],
  ['.spec.a.b', 'does not refer to a valid field'],
  ['.spec.open.a', 'does not refer to a valid field'],
  ['.spec.constructor', 'does not refer to a valid field'],
  ['.spec[', 'unexpected end of JSON path'],
  [".spec['a'", 'unexpected end of JSON path'],
  [".spec['a'.", 'expected ] but got: .'],
  ['.spec[0]', 'expected single quoted string but got 0'],
  [".spec[']", "expected single quoted string but got '"],
  ['.spec{', 'expected [ or . but got: {'],
] as const)
  test(`${path} leads nowhere: ${message}`, () =>
    assert.throws(() => followFieldPath(path, schema, true), { name: 'FieldPathError', message }))

test('columns and selectable fields have no brackets', () => {
  assert.throws(() => followFieldPath(".spec['a']", schema, false), { message: 'array notation is not allowed' })
  assert.equal(followFieldPath('.spec.a', schema, false).text, 'spec.a')
})

test('any text leads somewhere or to a FieldPathError', () => {
  const piece = fc.constantFrom('.', '[', ']', "'", "['a']", '.spec', 'a', '\\', '{', ' ', '.labels')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      try {
        const found = followFieldPath(pieces.join(''), schema, true)
        assert.equal(found.steps.length === 0, pieces.length === 0)
      } catch (error) {
        assert.ok(error instanceof FieldPathError)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a quoted name is the name that was quoted', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '.', "'", '\\', '[', ']', ' ') }), (name) => {
      const quoted = name.replace(/[\\']/g, (c) => `\\${c}`)
      assert.deepEqual(followFieldPath(`['${quoted}']`, { additionalProperties: {} }, true).steps, [name])
    }),
  )
})
