import type { JsonObject } from '../../src/machinery/object.ts'
import { members, times } from './type-fields.ts'

/** A custom kind that is heavy in one way. */
export interface HeavyKind {
  readonly what: string
  /** Of `spec`. */
  readonly properties: JsonObject
  readonly columns?: readonly JsonObject[]
  readonly spec: JsonObject
}

const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ l: { type: 'array', items, ...more } })
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const STRING: JsonObject = { type: 'string' }
const INTEGER: JsonObject = { type: 'integer' }
const columns = (count: number, jsonPath: (i: number) => string): readonly JsonObject[] =>
  times(count, (i) => ({ name: `c${i}`, type: 'string', jsonPath: jsonPath(i) }))

/** Nested alternatives that a value of 1 does not match. */
const alternatives = (depth: number): JsonObject => (depth === 0 ? { minimum: 5 } : { anyOf: times(3, () => alternatives(depth - 1)) })

export const HEAVY_KINDS: readonly HeavyKind[] = [
  {
    what: '5,000 rules',
    properties: members(2500, (i) => ({
      ...INTEGER,
      'x-kubernetes-validations': [{ rule: `self >= ${i}` }, { rule: `self != ${i + 1}` }],
    })),
    spec: members(2500, () => 100_000),
  },
  {
    what: 'a list of maps',
    properties: list(object({ k: STRING }, { required: ['k'] }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
    spec: { l: times(20_000, (i) => ({ k: `k${i}` })) },
  },
  { what: 'items of a wrong type', properties: list({ type: 'object' }), spec: { l: times(300_000, () => 0) } },
  { what: 'a set', properties: list(STRING, { 'x-kubernetes-list-type': 'set' }), spec: { l: times(80_000, (i) => `v${i}`) } },
  { what: 'a set of duplicates', properties: list(INTEGER, { 'x-kubernetes-list-type': 'set' }), spec: { l: times(400_000, () => 1) } },
  {
    what: 'alternatives',
    properties: list({ ...INTEGER, anyOf: times(3, () => alternatives(5)) }),
    spec: { l: times(2000, () => 1) },
  },
  {
    what: 'an enumeration',
    properties: list({ ...STRING, enum: times(60_000, (i) => `v${i}`) }),
    spec: { l: times(60_000, (i) => `w${i}`) },
  },
  { what: 'patterns', properties: list({ ...STRING, pattern: '^([a-z]+[0-9]*)+$' }), spec: { l: times(80_000, (i) => `v${i}!`) } },
  { what: 'formats', properties: list({ ...STRING, format: 'date-time' }), spec: { l: times(40_000, () => '2020-01-01T00:00:00Z') } },
  {
    what: 'defaults',
    properties: list(object(members(100, () => ({ ...STRING, default: 'a'.repeat(20) })))),
    spec: { l: times(1000, () => ({})) },
  },
  {
    what: 'embedded resources',
    properties: list({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
    spec: { l: times(10_000, (i) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}` } })) },
  },
  { what: 'unknown fields', properties: { a: STRING }, spec: members(80_000, () => 1) },
  {
    what: 'columns that search a list',
    properties: list(object({ a: STRING })),
    columns: columns(100, (i) => `.spec.l[?(@.a=="k${i}")].a`),
    spec: { l: times(20_000, (i) => ({ a: `k${i}` })) },
  },
  {
    what: 'columns that show all',
    properties: list(STRING),
    columns: columns(100, () => '.spec'),
    spec: { l: times(80_000, (i) => `v${i}`) },
  },
  { what: '15,000 columns', properties: { a: STRING }, columns: columns(15_000, () => '.metadata.name'), spec: { a: 'v' } },
]
