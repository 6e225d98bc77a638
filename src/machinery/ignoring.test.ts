import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoring } from './ignoring.ts'
import { StatusError } from './status-error.ts'

const failing = (reason: 'NotFound' | 'Conflict') => Promise.reject(new StatusError({ code: 404, reason, message: reason }))

test('a failure for one of the reasons resolves with undefined', async () => {
  assert.equal(await failing('NotFound').catch(ignoring('Conflict', 'NotFound')), undefined)
})

test('any other failure is thrown on', async () => {
  await assert.rejects(failing('Conflict').catch(ignoring('NotFound')), { message: 'Conflict' })
  await assert.rejects(Promise.reject(new Error('no status')).catch(ignoring('NotFound')), { message: 'no status' })
})
