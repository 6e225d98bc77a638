import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GrpcCode, GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { StoreError, type StoreErrorCode } from '../store.ts'
import { asStoreError } from './etcd-error.ts'

const ROWS: readonly (readonly [code: GrpcCode, details: string, store: StoreErrorCode, message: string])[] = [
  [
    'OutOfRange',
    'etcdserver: mvcc: required revision has been compacted',
    'compacted',
    'etcdserver: mvcc: required revision has been compacted',
  ],
  ['ResourceExhausted', 'etcdserver: mvcc: database space exceeded', 'full', 'etcdserver: mvcc: database space exceeded'],
  ['InvalidArgument', 'etcdserver: request is too large', 'too-large', 'etcdserver: request is too large'],
  ['Unavailable', 'etcdserver: request timed out', 'no-leader', 'etcdserver: request timed out'],
  ['DeadlineExceeded', 'context deadline exceeded', 'timeout', 'context deadline exceeded'],
  // A member without a leader, whose time for the call was over before ours.
  ['Unknown', 'context deadline exceeded', 'timeout', 'context deadline exceeded'],
  ['Unauthenticated', 'etcdserver: invalid auth token', 'permission', 'etcd: etcdserver: invalid auth token'],
  ['Unavailable', 'the connection was closed', 'unavailable', 'etcd: the connection was closed'],
]
for (const [code, details, store, message] of ROWS)
  test(`${code} "${details}" is ${store}`, () => {
    const error = asStoreError(new GrpcError(code, details))
    assert.ok(error instanceof StoreError)
    assert.deepEqual([error.code, error.message], [store, message])
  })

test('what is no error of gRPC stays what it is', () => {
  const error = new TypeError('x')
  assert.equal(asStoreError(error), error)
})
