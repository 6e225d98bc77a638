import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ruleset } from './ruleset.ts'
import { transactionOf } from './transaction.ts'

const ruleset = (chains: Readonly<Record<string, readonly string[]>>, elements: Readonly<Record<string, string>> = {}): Ruleset => ({
  tables: new Map([
    [
      'ip t',
      {
        chains: new Map(Object.entries(chains).map(([name, rules]) => [name, { rules }])),
        sets: new Map([['m', { kind: 'map', definition: 'type inet_service : verdict', elements: new Map(Object.entries(elements)) }]]),
      },
    ],
  ]),
})

test('what is unknown is made anew, what is referred to first', () => {
  assert.deepEqual(
    transactionOf(undefined, ruleset({ a: ['goto b'], b: ['drop'] }, { 80: 'goto a' }))
      .trim()
      .split('\n'),
    [
      'add table ip t',
      'delete table ip t',
      'add table ip t',
      'add chain ip t a',
      'add chain ip t b',
      'add map ip t m { type inet_service : verdict ; }',
      'add rule ip t a goto b',
      'add rule ip t b drop',
      'add element ip t m { 80 : goto a }',
    ],
  )
})

test('only what has changed is written, and what referred to it goes first', () => {
  const before = ruleset({ a: ['goto b'], b: ['drop'], kept: ['accept'] }, { 80: 'goto b', 81: 'goto kept', 82: 'goto kept' })
  const after = ruleset({ a: ['goto c'], c: ['drop'], kept: ['accept'] }, { 80: 'goto c', 82: 'goto kept' })
  assert.deepEqual(transactionOf(before, after).trim().split('\n'), [
    'add chain ip t c',
    'delete element ip t m { 80, 81 }',
    'flush chain ip t b',
    'flush chain ip t a',
    'add rule ip t a goto c',
    'add rule ip t c drop',
    'add element ip t m { 80 : goto c }',
    'delete chain ip t b',
  ])
})

test('nothing is written where nothing has changed, and a table that is not wanted goes', () => {
  const same = () => ruleset({ a: ['drop'] }, { 80: 'goto a' })
  assert.equal(transactionOf(same(), same()), '')
  assert.equal(transactionOf(same(), { tables: new Map() }), 'delete table ip t\n')
})
