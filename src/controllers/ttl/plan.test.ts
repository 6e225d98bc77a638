import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../resources/types/batch.ts'
import { sketch } from '../frame/sketch.double.ts'
import { deletionMs, expiresAtMs } from './plan.ts'

const ENDED = '2026-01-01T00:00:00Z'
const job = (seconds: number | undefined, type: string | undefined, metadata: object = {}): Job =>
  sketch({
    metadata,
    spec: { ...(seconds !== undefined && { ttlSecondsAfterFinished: seconds }) },
    status: { conditions: type === undefined ? [] : [{ type, status: 'True', lastTransitionTime: ENDED }] },
  })

for (const [what, of, expected] of [
  ['complete, with ten seconds', job(10, 'Complete'), 10_000],
  ['failed, with none', job(0, 'Failed'), 0],
  ['not finished', job(10, undefined), undefined],
  ['without a limit', job(undefined, 'Complete'), undefined],
  ['deleted already', job(10, 'Complete', { deletionTimestamp: ENDED }), undefined],
] as const)
  test(`a job that is ${what} expires ${expected === undefined ? 'never' : `after ${expected} ms`}`, () =>
    assert.equal(expiresAtMs(of), expected === undefined ? undefined : Date.parse(ENDED) + expected))

test('a job stays for half a second after its end was seen, so that watchers see it too', () => {
  assert.equal(deletionMs(1_000, 5_000), 5_500)
  assert.equal(deletionMs(9_000, 5_000), 9_000)
})
