import { bool, bytes, int, ints, type MessageOf, many, message, one, text, texts } from '../../machinery/protobuf/plain-message.ts'

/** The part of etcd's v3 API that is served (`src/etcd`) and called (the store): names and numbers of its fields. */
const header = message({ cluster: int(1), member: int(2), revision: int(3), term: int(4) })
export const keyValue = message({
  key: bytes(1),
  createRevision: int(2),
  modRevision: int(3),
  version: int(4),
  value: bytes(5),
  lease: int(6),
})

export const rangeRequest = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: int(3),
  revision: int(4),
  sortOrder: int(5),
  sortTarget: int(6),
  keysOnly: bool(8),
  countOnly: bool(9),
  minModRevision: int(10),
  maxModRevision: int(11),
  minCreateRevision: int(12),
  maxCreateRevision: int(13),
})
export const rangeResponse = message({ header: one(1, header), kvs: many(2, keyValue), more: bool(3), count: int(4) })
export const putRequest = message({
  key: bytes(1),
  value: bytes(2),
  lease: int(3),
  prevKv: bool(4),
  ignoreValue: bool(5),
  ignoreLease: bool(6),
})
export const putResponse = message({ header: one(1, header), prevKv: one(2, keyValue) })
export const deleteRequest = message({ key: bytes(1), rangeEnd: bytes(2), prevKv: bool(3) })
export const deleteResponse = message({ header: one(1, header), deleted: int(2), prevKvs: many(3, keyValue) })
const requestOp = message({ range: one(1, rangeRequest), put: one(2, putRequest), delete: one(3, deleteRequest) })
const responseOp = message({ range: one(1, rangeResponse), put: one(2, putResponse), delete: one(3, deleteResponse) })
const compare = message({
  result: int(1),
  target: int(2),
  key: bytes(3),
  version: int(4),
  createRevision: int(5),
  modRevision: int(6),
  value: bytes(7),
  lease: int(8),
  rangeEnd: bytes(64),
})
export const txnRequest = message({ compare: many(1, compare), success: many(2, requestOp), failure: many(3, requestOp) })
export const txnResponse = message({ header: one(1, header), succeeded: bool(2), responses: many(3, responseOp) })
export const compactRequest = message({ revision: int(1), physical: bool(2) })
export const headerOnly = message({ header: one(1, header) })

export const watchCreate = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  startRevision: int(3),
  progressNotify: bool(4),
  filters: ints(5),
  prevKv: bool(6),
  watchId: int(7),
})
export const watchRequest = message({
  create: one(1, watchCreate),
  cancel: one(2, message({ watchId: int(1) })),
  progress: one(3, message({})),
})
const event = message({ type: int(1), kv: one(2, keyValue), prevKv: one(3, keyValue) })
export const watchResponse = message({
  header: one(1, header),
  watchId: int(2),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int(5),
  cancelReason: text(6),
  events: many(11, event),
})

export const leaseGrantRequest = message({ ttl: int(1), id: int(2) })
export const leaseGrantResponse = message({ header: one(1, header), id: int(2), ttl: int(3) })
export const leaseId = message({ id: int(1) })
export const leaseKeepAliveResponse = message({ header: one(1, header), id: int(2), ttl: int(3) })
export const leaseTimeToLiveRequest = message({ id: int(1), keys: bool(2) })
export const leaseTimeToLiveResponse = message({ header: one(1, header), id: int(2), ttl: int(3), grantedTtl: int(4), keys: texts(5) })
export const leaseLeasesResponse = message({ header: one(1, header), leases: many(2, leaseId) })

export const nothing = message({})
export const statusResponse = message({
  header: one(1, header),
  version: text(2),
  dbSize: int(3),
  leader: int(4),
  raftIndex: int(5),
  raftTerm: int(6),
  raftAppliedIndex: int(7),
  dbSizeInUse: int(9),
  storageVersion: text(11),
})
const member = message({ id: int(1), name: text(2), peerUrls: texts(3), clientUrls: texts(4) })
export const memberListResponse = message({ header: one(1, header), members: many(2, member) })

export type Header = MessageOf<typeof header>
export type KeyValue = MessageOf<typeof keyValue>
export type RangeRequest = MessageOf<typeof rangeRequest>
export type RangeResponse = MessageOf<typeof rangeResponse>
export type PutRequest = MessageOf<typeof putRequest>
export type PutResponse = MessageOf<typeof putResponse>
export type DeleteRequest = MessageOf<typeof deleteRequest>
export type DeleteResponse = MessageOf<typeof deleteResponse>
export type RequestOp = MessageOf<typeof requestOp>
export type ResponseOp = MessageOf<typeof responseOp>
export type Compare = MessageOf<typeof compare>
export type TxnRequest = MessageOf<typeof txnRequest>
export type TxnResponse = MessageOf<typeof txnResponse>
export type WatchCreate = MessageOf<typeof watchCreate>
export type WatchRequest = MessageOf<typeof watchRequest>
export type WatchResponse = MessageOf<typeof watchResponse>
export type EtcdEvent = MessageOf<typeof event>
