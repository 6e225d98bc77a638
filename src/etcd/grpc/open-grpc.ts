import { statSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { Server, ServerCredentials, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js'
import { ByteBudget } from '../../base/byte-budget.ts'
import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { quiet } from '../../base/quiet.ts'
import type { Random } from '../../base/random.ts'
import { keyNames } from '../../resources/etcd-keys.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { unary } from '../../sdk/grpc/method.ts'
import { answer } from '../../sdk/grpc/serve-unix.ts'
import * as m from '../../storage/etcd/messages.ts'
import type { SharedStore } from '../../storage/remote/serve-store.ts'
import { ETCD_VERSION } from '../pages.ts'
import { Kv, type KvDeps, MEMBER_ID } from './kv.ts'
import { Leases } from './leases.ts'
import { Versions } from './versions.ts'
import { Watches } from './watches.ts'

export interface GrpcDeps {
  readonly store: SharedStore
  readonly clock: Clock
  readonly random: Random
  readonly member: { readonly name: string; readonly clientUrls: readonly string[]; readonly peerUrls: readonly string[] }
  /** The file of the store, for its size. */
  readonly file: string
  /** `--max-txn-ops`. */
  readonly maxTxnOps: number
}

/** etcd's v3 API. Loaded with the first gRPC connection. */
export interface GrpcPart extends AsyncDisposable {
  connect(socket: Duplex): void
}

const MOST_BYTES = 16 << 20

export function openGrpc(deps: GrpcDeps): GrpcPart {
  const { store, clock, random, maxTxnOps } = deps
  const versions = new Versions(store)
  const leases: Leases = new Leases({
    clock,
    random,
    expired: (keys) => void quiet(kv.expire(keys), 'the store is closing: its next process starts without leases'),
  })
  const parts: KvDeps = { store, names: keyNames(), versions, leases, maxTxnOps }
  const kv = new Kv(parts)
  const server = new Server({ 'grpc.max_receive_message_length': MOST_BYTES, 'grpc.max_send_message_length': -1 })
  for (const serve of [...kvMethods(kv), ...leaseMethods(kv, leases), ...memberMethods(kv, deps)]) serve(server)
  bidi(server, '/etcdserverpb.Watch/Watch', m.watchRequest, m.watchResponse, (tell) => {
    const watches = new Watches({ ...parts, kv, tell })
    return { hear: (request) => watches.hear(request), end: () => watches.end() }
  })
  bidi(server, '/etcdserverpb.Lease/LeaseKeepAlive', m.leaseId, m.leaseKeepAliveResponse, (tell) => ({
    hear: ({ id }) => tell({ header: kv.header(), id, ttl: leases.keepAlive(id) }),
    end: async () => {},
  }))
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  return {
    connect: (socket) => injector.injectConnection(socket),
    async [Symbol.asyncDispose]() {
      leases.stop()
      injector.destroy()
      server.forceShutdown()
      await versions[Symbol.asyncDispose]()
    },
  }
}

const kvMethods = (kv: Kv) => [
  rangeMethod(kv),
  answer(unary('/etcdserverpb.KV/Put', m.putRequest, m.putResponse), (request) => kv.put(request)),
  answer(unary('/etcdserverpb.KV/DeleteRange', m.deleteRequest, m.deleteResponse), (request) => kv.delete(request)),
  answer(unary('/etcdserverpb.KV/Txn', m.txnRequest, m.txnResponse), (request) => kv.txn(request)),
  answer(unary('/etcdserverpb.KV/Compact', m.compactRequest, m.headerOnly), async ({ revision }) => {
    await kv.compact(revision)
    return { header: kv.header() }
  }),
]

/** Bytes of ranges that clients have not read yet, all clients together. */
const MAX_UNREAD_BYTES = 64 << 20

/**
 * KV/Range holds back responses while others are unread: each may be as large as the store. It is registered as a stream of one message,
 * which is the same on the wire, because grpc-js reports when a message was sent only for streams.
 */
function rangeMethod(kv: Kv): (server: Server) => void {
  const budget = new ByteBudget(MAX_UNREAD_BYTES)
  const serve = async (call: ServerWritableStream<Buffer, Buffer>, gone: Promise<unknown>) => {
    const response = await kv.range(m.rangeRequest.decode(call.request))
    using _ = await budget.take(response.kvs.reduce((sum, { key, value }) => sum + key.byteLength + value.byteLength, 0))
    if (call.cancelled) return
    await Promise.race([gone, new Promise((resolve) => call.write(m.rangeResponse.encode(response), resolve))])
    call.end()
  }
  const handler = (call: ServerWritableStream<Buffer, Buffer>) => {
    const gone = new Promise((resolve) => call.once('cancelled', resolve).once('error', resolve))
    serve(call, gone).catch((error: unknown) => call.emit('error', statusError(error)))
  }
  const raw = (bytes: Buffer) => bytes
  return (server) => void server.register('/etcdserverpb.KV/Range', handler, raw, raw, 'serverStream')
}

/** An error as grpc-js sends it: by `emit`, because what is destroyed sends no status. */
function statusError(error: unknown): Error {
  const [code, details] = error instanceof GrpcError ? [error.number, error.details] : [2, messageOf(error)]
  return Object.assign(new Error(details), { code, details })
}

const leaseMethods = (kv: Kv, leases: Leases) => [
  answer(unary('/etcdserverpb.Lease/LeaseGrant', m.leaseGrantRequest, m.leaseGrantResponse), ({ ttl, id }) => {
    const granted = leases.grant(ttl, id)
    return { header: kv.header(), id: granted.id, ttl: granted.ttlS }
  }),
  answer(unary('/etcdserverpb.Lease/LeaseRevoke', m.leaseId, m.headerOnly), ({ id }) => {
    leases.revoke(id)
    return { header: kv.header() }
  }),
  answer(unary('/etcdserverpb.Lease/LeaseTimeToLive', m.leaseTimeToLiveRequest, m.leaseTimeToLiveResponse), ({ id, keys }) => {
    const { ttlS, grantedS, keys: held } = leases.timeToLive(id)
    return { header: kv.header(), id, ttl: ttlS, grantedTtl: grantedS, keys: keys ? held : [] }
  }),
  answer(unary('/etcdserverpb.Lease/LeaseLeases', m.nothing, m.leaseLeasesResponse), () => ({
    header: kv.header(),
    leases: leases.ids.map((id) => ({ id })),
  })),
]

const memberMethods = (kv: Kv, { store, member, file }: GrpcDeps) => [
  answer(unary('/etcdserverpb.Maintenance/Status', m.nothing, m.statusResponse), () => {
    const dbSize = sizeOf(file)
    const { revision } = store
    return {
      header: kv.header(),
      version: ETCD_VERSION,
      dbSize,
      leader: MEMBER_ID,
      raftIndex: revision,
      raftTerm: 2,
      raftAppliedIndex: revision,
      dbSizeInUse: dbSize,
      storageVersion: '3.6.0',
    }
  }),
  answer(unary('/etcdserverpb.Maintenance/Defragment', m.nothing, m.headerOnly), () => ({ header: kv.header() })),
  answer(unary('/etcdserverpb.Maintenance/Alarm', m.nothing, m.headerOnly), () => ({ header: kv.header() })),
  answer(unary('/etcdserverpb.Cluster/MemberList', m.nothing, m.memberListResponse), () => ({
    header: kv.header(),
    members: [{ id: MEMBER_ID, name: member.name, peerUrls: member.peerUrls, clientUrls: member.clientUrls }],
  })),
]

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

interface Codec<T> {
  encode(value: T): Buffer
  decode(bytes: Uint8Array): T
}

interface Stream<Q> {
  hear(request: Q): Promise<void>
  end(): Promise<void>
}

/** A bidirectional stream. Requests are handled in order; while one is served, no more are read. */
function bidi<Q, A>(
  server: Server,
  path: string,
  request: Codec<Q>,
  response: Codec<A>,
  open: (tell: (response: A) => Promise<void>) => Stream<Q>,
): void {
  const handler = (call: ServerDuplexStream<Buffer, Buffer>) => {
    let gone = false
    const stream = open(async (message) => {
      if (!gone && !call.write(response.encode(message)))
        await new Promise<void>((resolve) => call.once('drain', resolve).once('close', resolve))
    })
    const leave = () => {
      if (gone) return
      gone = true
      void stream.end()
    }
    const fail = (error: unknown) => {
      leave()
      call.emit('error', statusError(error))
    }
    call.on('cancelled', leave)
    call.on('error', leave)
    let turn: Promise<void> = Promise.resolve()
    call.on('data', (bytes: Buffer) => {
      call.pause()
      turn = turn.then(() => stream.hear(request.decode(bytes))).then(() => void call.resume(), fail)
    })
    call.on('end', () => {
      leave()
      call.end()
    })
  }
  const raw = (bytes: Buffer) => bytes
  server.register(path, handler, raw, raw, 'bidi')
}
