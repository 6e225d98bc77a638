import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { quiet, quietErrors } from './quiet.ts'

test('a failure becomes undefined', async () => assert.equal(await quiet(Promise.reject(new Error('x')), 'a test'), undefined))
test('a value stays', async () => assert.equal(await quiet(Promise.resolve(5), 'a test'), 5))
test('an error of an emitter does not end the process', () =>
  assert.ok(quietErrors(new EventEmitter(), 'a test').emit('error', new Error('x'))))
