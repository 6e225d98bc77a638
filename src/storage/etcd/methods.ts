import { unary } from '../../sdk/grpc/method.ts'
import * as m from './messages.ts'

/** The methods of etcd that the store calls. */
export const RANGE = unary('/etcdserverpb.KV/Range', m.rangeRequest, m.rangeResponse)
export const TXN = unary('/etcdserverpb.KV/Txn', m.txnRequest, m.txnResponse)
export const COMPACT = unary('/etcdserverpb.KV/Compact', m.compactRequest, m.headerOnly)
export const LEASE_GRANT = unary('/etcdserverpb.Lease/LeaseGrant', m.leaseGrantRequest, m.leaseGrantResponse)
export const STATUS = unary('/etcdserverpb.Maintenance/Status', m.nothing, m.statusResponse)
export const WATCH_PATH = '/etcdserverpb.Watch/Watch'
