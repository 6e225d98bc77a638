import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import { shownSchema } from './internal-spec.ts'

const SHOWN: readonly (readonly [given: SchemaProps, shown: object])[] = [
  [{ externalDocs: {} }, { ExternalDocs: { Description: '', URL: '' } }],
  [{ externalDocs: { url: 'u' } }, { ExternalDocs: { Description: '', URL: 'u' } }],
  [
    { dependencies: { b: ['y'], a: null } },
    { Dependencies: { a: { Schema: null, Property: null }, b: { Schema: null, Property: ['y'] } } },
  ],
  [{ dependencies: { a: {} } }, { Dependencies: { a: { Schema: shownSchema({}), Property: null } } }],
  [
    { default: { b: 1, a: 2 }, example: { b: 1, a: 2 }, enum: [{ b: 1, a: 2 }] },
    { Default: { a: 2, b: 1 }, Example: { a: 2, b: 1 }, Enum: [{ a: 2, b: 1 }] },
  ],
]

for (const [given, shown] of SHOWN)
  test(`${JSON.stringify(given)} is shown as ${JSON.stringify(shown).slice(0, 80)}`, () => {
    assert.equal(JSON.stringify(shownSchema(given)), JSON.stringify({ ...(shownSchema({}) as object), ...shown }))
  })
