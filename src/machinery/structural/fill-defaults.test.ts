import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillDefaults, MOST_ADDED_CHARACTERS } from './fill-defaults.ts'
import type { SchemaProps } from './schema-props.ts'

const listOf = (items: SchemaProps): SchemaProps => ({ type: 'object', properties: { l: { type: 'array', items } } })
const emptyItems = (count: number): { l: Record<string, unknown>[] } => ({ l: Array.from({ length: count }, () => ({})) })

test('defaults are added, copied, and replace nulls', () => {
  const item: SchemaProps = { properties: { a: { default: [1] }, b: { default: 'x', nullable: true }, c: { type: 'string' } } }
  const value = { l: [{}, { a: null, b: null, c: null }, { a: [2] }] }
  fillDefaults(value, listOf(item))
  assert.deepEqual(value, {
    l: [
      { a: [1], b: 'x' },
      { a: [1], b: null },
      { a: [2], b: 'x' },
    ],
  })
})

test('a small object does not grow without bound by the defaults of its items', () => {
  const text = 'x'.repeat(998)
  const value = emptyItems(10_000)
  fillDefaults(value, listOf({ properties: { a: { type: 'string', default: text } } }))
  const filled = value.l.filter((item) => item.a === text).length
  assert.equal(filled, Math.floor(MOST_ADDED_CHARACTERS / 1000))
  assert.ok(value.l.slice(filled).every((item) => Object.keys(item).length === 0))
})

test('properties without a default cost nothing for each item', { timeout: 60_000 }, () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]))
  const value = emptyItems(40_000)
  fillDefaults(value, listOf({ properties }))
  assert.deepEqual(value, emptyItems(40_000))
})

test('nulls that validation is to refuse stay, but not those that it accepts of a type that is not nullable', () => {
  const value = { s: null, open: null, either: null, nullable: null }
  fillDefaults(
    value,
    {
      properties: {
        s: { type: 'string' },
        open: { 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
        nullable: { nullable: true },
      },
    },
    true,
  )
  assert.deepEqual(value, { s: null, either: null, nullable: null })
})
