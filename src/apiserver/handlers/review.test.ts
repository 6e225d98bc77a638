import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindFirst } from './review.ts'

test('a review is written in the order of Go, whatever the order of the body', () => {
  const object = { spec: {}, apiVersion: 'v1', metadata: {}, kind: 'Any', status: {} }
  assert.deepEqual(Object.keys(kindFirst(object)), ['kind', 'apiVersion', 'metadata', 'spec', 'status'])
})
