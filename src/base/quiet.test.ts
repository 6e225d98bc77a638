import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quiet } from './quiet.ts'

test('a failure becomes undefined', async () => assert.equal(await quiet(Promise.reject(new Error('x')), 'a test'), undefined))
test('a value stays', async () => assert.equal(await quiet(Promise.resolve(5), 'a test'), 5))
