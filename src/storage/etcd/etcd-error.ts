import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { StoreError, type StoreErrorCode } from '../store.ts'

/** What etcd says, by the beginning of its message. */
const BY_MESSAGE: readonly (readonly [string, StoreErrorCode])[] = [
  ['etcdserver: mvcc: required revision has been compacted', 'compacted'],
  ['etcdserver: mvcc: required revision is a future revision', 'future'],
  ['etcdserver: mvcc: database space exceeded', 'full'],
  ['etcdserver: request is too large', 'too-large'],
  ['trying to send message larger than max', 'too-large'],
  ['etcdserver: request timed out', 'no-leader'],
  ['etcdserver: no leader', 'no-leader'],
  ['etcdserver: leader changed', 'no-leader'],
  // Of a member whose time for the call was over before ours; its code is Unknown.
  ['context deadline exceeded', 'timeout'],
]

/** A failed call as an error of the store. The message is etcd's own, because clients of kube-apiserver see it. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof GrpcError)) return error
  const { code, details } = error
  const known = BY_MESSAGE.find(([start]) => details.startsWith(start))?.[1]
  if (known !== undefined)
    return new StoreError(known, code === 'ResourceExhausted' && known === 'too-large' ? error.message : details, { cause: error })
  if (code === 'DeadlineExceeded') return new StoreError('timeout', details, { cause: error })
  if (code === 'PermissionDenied' || code === 'Unauthenticated') return new StoreError('permission', `etcd: ${details}`, { cause: error })
  return new StoreError('unavailable', `etcd: ${details}`, { cause: error })
}
