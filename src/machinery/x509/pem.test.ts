import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pemBlocks } from './pem.ts'

const TABLE: readonly (readonly [rule: string, text: string, types: readonly string[]])[] = [
  ['two after each other', '-----BEGIN A-----\nYQ==\n-----END A-----\n-----BEGIN B C-----\r\nYg==\r\n-----END B C-----', ['A', 'B C']],
  ['text around them does not matter', 'subject=x\n-----BEGIN A-----\nYQ==\n-----END A-----\nbye', ['A']],
  [
    'one that ends as another is passed over',
    '-----BEGIN A-----\nYQ==\n-----END B-----\n-----BEGIN C-----\nYg==\n-----END C-----\n',
    ['C'],
  ],
  ['one that does not end is none', '-----BEGIN A-----\nYQ==\n', []],
  ['the line ends after the dashes', '-----BEGIN A-----YQ==-----END A-----', []],
  ['headers come before the base64', '-----BEGIN A-----\nB: c\nD: e\n\nYQ==\n-----END A-----', ['A']],
  ['one that holds no base64 is passed over', '-----BEGIN A-----\nYQ=\n-----END A-----\n-----BEGIN B-----\nYg==\n-----END B-----', ['B']],
  ['a type is in one line', '-----BEGIN A\nB-----\nYQ==\n-----END A\nB-----', []],
]
for (const [rule, text, types] of TABLE)
  test(`blocks of PEM: ${rule}`, () =>
    assert.deepEqual(
      pemBlocks(text).map((b) => b.type),
      types,
    ))

test('written blocks are found, whatever is between them', () => {
  const type = fc.constantFrom('CERTIFICATE', 'PRIVATE KEY', 'X')
  const body = fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  const between = fc.string({ maxLength: 20 }).filter((s) => !s.includes('-'))
  fc.assert(
    fc.property(fc.array(fc.tuple(between, type, body), { maxLength: 6 }), (parts) => {
      const text = parts.map(([noise, t, b]) => `${noise}\n-----BEGIN ${t}-----\n${b}\n-----END ${t}-----\n`).join('')
      assert.deepEqual(
        pemBlocks(text).map((b) => [b.type, b.body.trim()]),
        parts.map(([, t, b]) => [t, b]),
      )
    }),
  )
})
