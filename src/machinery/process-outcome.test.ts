import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asJson } from './object.ts'
import { type Outcome, outcomeOf, runtimeStatusOf, statusOf, textOf } from './process-outcome.ts'
import { badRequest, type Status } from './status-error.ts'

const exit = (exitCode: number): Outcome => ({ kind: 'exit', exitCode })
const failed = (error: Error): Outcome => ({ kind: 'failed', error })
const TERMINATED = 'command terminated with non-zero exit code: command terminated with exit code 3'
const NON_ZERO = {
  status: 'Failure',
  message: TERMINATED,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: '3' }] },
}
const FAILED = 'Internal error occurred: why'

/** How a process ended: the status by the newer protocols, by the runtime, and the text of the older ones. */
const OUTCOMES: readonly (readonly [rule: string, outcome: Outcome, status: object, runtime: object, text: string])[] = [
  ['well', exit(0), { metadata: {}, status: 'Success' }, { status: 'Success' }, ''],
  ['with a code', exit(3), { metadata: {}, ...NON_ZERO }, NON_ZERO, TERMINATED],
  [
    'not at all',
    failed(new Error('why')),
    {
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${FAILED}`,
      reason: 'InternalError',
      details: { causes: [{ message: FAILED }] },
      code: 500,
    },
    { status: 'Failure', message: FAILED, reason: 'InternalError', code: 500 },
    FAILED,
  ],
]
for (const [rule, outcome, status, runtime, text] of OUTCOMES)
  test(`a process ended: ${rule}`, () => {
    assert.deepEqual(statusOf(outcome), status)
    assert.deepEqual(runtimeStatusOf(outcome), runtime)
    assert.equal(textOf(outcome), text)
  })

test('an answer of the API is sent as it is', () => {
  const error = badRequest('no such container')
  assert.deepEqual(statusOf(failed(error)), { ...error.status })
})

for (const code of [0, 1, 255])
  test(`the code ${code} is read back`, () => assert.deepEqual(outcomeOf(statusOf(exit(code)) as Partial<Status>), exit(code)))

const FAILURES: readonly (readonly [rule: string, status: object, code: number])[] = [
  ['an internal error', statusOf(failed(new Error('why'))), 500],
  ['another error', { status: 'Failure', reason: 'BadRequest', message: 'why', code: 400 }, 400],
  ['no code in its cause', { ...NON_ZERO, details: { causes: [{ reason: 'Other', message: '3' }] } }, 500],
  ['a code for another reason', { ...NON_ZERO, reason: 'Unknown' }, 500],
  ['no details', { status: 'Failure', message: 'why' }, 500],
]
for (const [rule, status, code] of FAILURES)
  test(`a status that is no exit code: ${rule}`, () => {
    const outcome = outcomeOf(asJson(status) as Partial<Status>)
    assert.ok(outcome.kind === 'failed' && 'code' in outcome.error)
    assert.deepEqual([outcome.error.code, outcome.error.message], [code, (status as { message: string }).message])
  })
