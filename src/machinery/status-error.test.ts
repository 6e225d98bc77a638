import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalid } from './field-error.ts'
import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbiddenStatus,
  internalError,
  invalidObject,
  isStatus,
  isTerminatingNamespace,
  methodNotAllowed,
  notFound,
  notImplemented,
  type Status,
  StatusError,
  staleWrite,
  tooLarge,
} from './status-error.ts'

const PODS = { group: '', resource: 'pods' }
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' }
const OF_PODS = { kind: 'pods' }

/** The statuses of Kubernetes' errors: code, reason, message, details. */
const STATUSES: readonly (readonly [error: StatusError, code: number, reason: string | undefined, message: string, details?: object])[] = [
  [notFound(PODS, 'a'), 404, 'NotFound', 'pods "a" not found', { name: 'a', ...OF_PODS }],
  [notFound(DEPLOYMENTS, 'a'), 404, 'NotFound', 'deployments.apps "a" not found', { name: 'a', group: 'apps', kind: 'deployments' }],
  [alreadyExists(PODS, 'a'), 409, 'AlreadyExists', 'pods "a" already exists', { name: 'a', ...OF_PODS }],
  [conflict(PODS, 'a', 'why'), 409, 'Conflict', 'Operation cannot be fulfilled on pods "a": why', { name: 'a', ...OF_PODS }],
  [
    staleWrite(PODS, 'a'),
    409,
    'Conflict',
    'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
    { name: 'a', ...OF_PODS },
  ],
  [forbiddenStatus(PODS, 'a', 'why'), 403, 'Forbidden', 'pods "a" is forbidden: why', { name: 'a', ...OF_PODS }],
  [forbiddenStatus(PODS, '', 'why'), 403, 'Forbidden', 'pods is forbidden: why', OF_PODS],
  [forbiddenStatus({ group: '', resource: '' }, '', 'why'), 403, 'Forbidden', 'forbidden: why', { kind: '' }],
  [badRequest('why'), 400, 'BadRequest', 'why'],
  [tooLarge('limit is 5'), 413, 'RequestEntityTooLarge', 'Request entity too large: limit is 5'],
  [methodNotAllowed(PODS, 'create'), 405, 'MethodNotAllowed', 'create is not supported on resources of kind "pods"', OF_PODS],
  [expired('old'), 410, 'Expired', 'old'],
  [notImplemented('it'), 501, undefined, 'Bowsprit does not implement it yet'],
  [internalError(new Error('why')), 500, 'InternalError', 'Internal error occurred: why', { causes: [{ message: 'why' }] }],
]
for (const [error, code, reason, message, details] of STATUSES)
  test(`${code} ${message}`, () => {
    const expected = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    }
    assert.deepEqual(error.status, expected)
    assert.deepEqual([error.code, error.reason, error.message], [code, reason ?? '', message])
    assert.deepEqual(StatusError.from(error.status).status, expected)
  })

const fault = (field: string) => invalid(field, 1, 'why')
const INVALID: readonly (readonly [fields: readonly string[], message: string])[] = [
  [[], 'Deployment.apps "a" is invalid'],
  [['b'], 'Deployment.apps "a" is invalid: b: Invalid value: 1: why'],
  [['b', 'c'], 'Deployment.apps "a" is invalid: [b: Invalid value: 1: why, c: Invalid value: 1: why]'],
  // The message names a fault once; the causes have both.
  [['b', 'b'], 'Deployment.apps "a" is invalid: b: Invalid value: 1: why'],
]
for (const [fields, message] of INVALID)
  test(`an object with faults in [${fields}]`, () => {
    const { status } = invalidObject({ group: 'apps', kind: 'Deployment' }, 'a', fields.map(fault))
    assert.deepEqual([status.code, status.reason, status.message], [422, 'Invalid', message])
    assert.deepEqual(status.details, {
      name: 'a',
      group: 'apps',
      kind: 'Deployment',
      causes: fields.map((field) => ({ reason: 'FieldValueInvalid', message: 'Invalid value: 1: why', field })),
    })
  })

test('a fault of the whole object, in the core group', () => {
  const { status } = invalidObject({ group: '', kind: 'Pod' }, '', [fault('')])
  assert.deepEqual(status.details, {
    kind: 'Pod',
    causes: [{ reason: 'FieldValueInvalid', message: 'Invalid value: 1: why', field: '<nil>' }],
  })
  assert.equal(status.message, 'Pod "" is invalid: <nil>: Invalid value: 1: why')
})

test('an answer without a message is an error all the same', () => {
  const status: Partial<Status> = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 418 }
  assert.equal(StatusError.from(status as Status).message, 'unknown')
})

test('errors are told apart by their reasons', () => {
  const gone = notFound(PODS, 'a')
  assert.deepEqual(
    [isStatus(gone), isStatus(gone, 'NotFound'), isStatus(gone, 'Gone', 'NotFound'), isStatus(gone, 'Gone'), isStatus(new Error('x'))],
    [true, true, true, false, false],
  )
})

test('a namespace that ends is named by a cause', () => {
  const refused = (
    causes: readonly { reason: string; message: string; field: string }[],
    code = 403,
    reason: 'Forbidden' | 'Conflict' = 'Forbidden',
  ) => new StatusError({ code, reason, message: 'x', details: { causes: [...causes] } })
  const cause = { reason: 'NamespaceTerminating', message: 'm', field: 'metadata.namespace' }
  assert.ok(isTerminatingNamespace(refused([{ ...cause, reason: 'Other' }, cause])))
  assert.ok(!isTerminatingNamespace(refused([{ ...cause, reason: 'Other' }])))
  assert.ok(!isTerminatingNamespace(refused([cause], 409, 'Conflict')))
  assert.ok(!isTerminatingNamespace(forbiddenStatus(PODS, 'a', 'why')))
})
