import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinSchema } from '../../resources/schema.ts'
import type { Json } from '../object.ts'
import { alignQuantities } from './align-quantities.ts'

const pod = builtinSchema('', 'v1', 'Pod')()
const podOf = (memory: string, value: string): Json => ({
  spec: { containers: [{ name: 'c', env: [{ name: 'A', value }], resources: { limits: { memory } } }] },
})

test('equal quantities are written alike, other texts and other numbers stay', () => {
  assert.deepEqual(alignQuantities(pod, podOf('1Gi', '1G'), podOf('1073741824', '1e9')), podOf('1073741824', '1G'))
  assert.deepEqual(alignQuantities(pod, podOf('1Gi', '1G'), podOf('1G', '1G')), podOf('1Gi', '1G'))
})

test('a value without differences is itself', () => {
  const value = podOf('1Gi', 'a')
  assert.equal(alignQuantities(pod, value, podOf('1Gi', 'b')), value)
  assert.equal(alignQuantities(pod, value, null), value)
})
