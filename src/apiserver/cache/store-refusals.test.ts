import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../base/logger.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { StoreError, type StoreErrorCode } from '../../storage/store.ts'
import { refusalOf } from './store-refusals.ts'

const TIMEOUT = 'Timeout: request did not complete within requested timeout - context deadline exceeded'

for (const [code, refusal] of [
  ['unavailable', '503 ServiceUnavailable m'],
  ['closed', '503 ServiceUnavailable m'],
  ['io', '503 ServiceUnavailable m'],
  ['damaged', '503 ServiceUnavailable m'],
  ['timeout', `504 Timeout ${TIMEOUT}`],
  ['no-leader', '500  m'],
  ['full', '500  m'],
  ['over-quota', '500  m'],
  ['too-large', '500  m'],
  ['untransformable', '500 InternalError Internal error occurred: m'],
  ['bad-key', '500 InternalError the store refused: m'],
] as const satisfies readonly (readonly [StoreErrorCode, string])[])
  test(`the error ${code} of the store is answered with ${refusal}`, () => {
    const refused = refusalOf(new StoreError(code, 'm'), silentLogger)
    assert.ok(isStatus(refused))
    assert.equal(`${refused.status.code} ${refused.status.reason ?? ''} ${refused.message}`, refusal)
  })

test('other errors pass as they are', () => {
  const error = new Error('m')
  assert.equal(refusalOf(error, silentLogger), error)
})
