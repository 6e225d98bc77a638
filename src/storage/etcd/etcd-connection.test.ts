import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Clock, systemClock, VirtualClock } from '../../base/clock.ts'
import { encodeNumber, GOAWAY, RST_STREAM } from '../../base/http2/frames.ts'
import { Http2Peer } from '../../base/http2/http2-peer.double.ts'
import { quiet } from '../../base/quiet.ts'
import { EtcdConnection } from './etcd-connection.ts'
import { framed } from './grpc/message-reader.ts'
import { leaseGrantRequest, rangeRequest, rangeResponse, watchRequest, watchResponse } from './messages.ts'
import { LEASE_GRANT, RANGE, WATCH_PATH } from './methods.ts'

const NO_TLS = { ca: undefined, cert: undefined, key: undefined }
/** Why a failure is ignored at first. */
const LATER = 'it is awaited later'
const WRITE = { timeoutMs: 20_000, repeatable: false }
const READ = { timeoutMs: 20_000, repeatable: true }

/** A member that does what a test says, with each connection that it gets. */
async function member(serve: (peer: Http2Peer, connection: number, socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    serve(new Http2Peer(socket), sockets.length, socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('invariant: a TCP server has a port')
  return {
    url: new URL(`http://127.0.0.1:${address.port}`),
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const open = (...members: { readonly url: URL }[]) => openWith(systemClock, ...members)
const openWith = (clock: Clock, ...members: { readonly url: URL }[]) =>
  new EtcdConnection({ urls: members.map(({ url }) => url), tls: NO_TLS }, { clock })

/** Lets time pass until the work is done. */
async function passing<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let over = false
  const done = work.finally(() => {
    over = true
  })
  void quiet(done, LATER)
  while (!over) await clock.advance(50)
  return done
}

/** Answers a range with this count, and ends the stream well. */
function answerRange(peer: Http2Peer, stream: number, count: number): void {
  peer.headers(stream, [[':status', '200']])
  peer.data(stream, framed(rangeResponse.encode(rangeResponse.of({ count }))))
  peer.headers(stream, [['grpc-status', '0']], { last: true })
}

/** Answers every call. */
const works = (count: number) => async (peer: Http2Peer) => {
  peer.settings()
  for (let stream = 1; ; stream += 2) {
    await peer.headersOf(stream)
    answerRange(peer, stream, count)
  }
}

/** Fails the calls with a status. */
const fails = (code: string, message: string) => async (peer: Http2Peer) => {
  peer.settings()
  for (let stream = 1; ; stream += 2) {
    await peer.headersOf(stream)
    peer.headers(
      stream,
      [
        [':status', '200'],
        ['grpc-status', code],
        ['grpc-message', message],
      ],
      { last: true },
    )
  }
}

const ask = (connection: EtcdConnection, options: { readonly timeoutMs: number; readonly repeatable: boolean }) =>
  connection.call(RANGE, rangeRequest.of({ key: Buffer.from('a') }), options).then(({ count }) => count)

test('calls share one connection', async () => {
  await using only = await member(works(7))
  using connection = open(only)
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => ask(connection, READ))), [7, 7, 7])
  assert.equal(only.sockets.length, 1)
})

const LEAVING: Readonly<Record<string, (peer: Http2Peer) => void>> = {
  'leaves before it has begun the call': (peer) => peer.send({ type: GOAWAY, payload: Buffer.concat([encodeNumber(0), encodeNumber(0)]) }),
  'refuses the call': (peer) => peer.send({ type: RST_STREAM, stream: 1, payload: encodeNumber(7) }),
}
for (const [name, leave] of Object.entries(LEAVING))
  test(`a write goes to another member if one ${name}`, async () => {
    await using first = await member(async (peer) => {
      peer.settings()
      await peer.headersOf(1)
      leave(peer)
    })
    await using second = await member(works(2))
    using connection = open(first, second)
    assert.equal(await ask(connection, WRITE), 2)
  })

test('a write goes to another member if one cannot be connected, or never says a word', async () => {
  await using gone = await member(() => {})
  await gone[Symbol.asyncDispose]()
  await using silent = await member(() => {})
  await using works3 = await member(works(3))
  const clock = new VirtualClock()
  using connection = openWith(clock, gone, silent, works3)
  assert.equal(await passing(clock, ask(connection, { timeoutMs: 3_600_000, repeatable: false })), 3)
})

test('a write that was sent is not repeated when the connection is lost; a read is', async () => {
  const lost = async (peer: Http2Peer) => {
    peer.settings()
    await peer.headersOf(1)
    peer.end()
  }
  await using first = await member(lost)
  await using second = await member(works(4))
  using connection = open(first, second)
  await assert.rejects(ask(connection, WRITE), { code: 'Unavailable' })
  using other = open(first, second)
  assert.equal(await ask(other, READ), 4)
})

test('a read is made again while etcd has no leader; what it says of a write is for the caller', async () => {
  await using first = await member(fails('14', 'etcdserver: no leader'))
  await using second = await member(works(5))
  using reader = open(first, second)
  assert.equal(await ask(reader, READ), 5)
  using writer = open(first, second)
  await assert.rejects(ask(writer, WRITE), { code: 'Unavailable', details: 'etcdserver: no leader' })
})

test('a read that no member can make ends with its time', async () => {
  await using only = await member(fails('14', 'etcdserver: no leader'))
  using connection = open(only)
  await assert.rejects(ask(connection, { timeoutMs: 300, repeatable: true }), { code: 'DeadlineExceeded' })
})

test('a call ends with its time, and the member learns that nobody waits', async () => {
  const sent = Promise.withResolvers<void>()
  const reset = Promise.withResolvers<number>()
  await using slow = await member(async (peer) => {
    peer.settings()
    await peer.headersOf(1)
    sent.resolve()
    const { payload } = await peer.until(({ type }) => type === RST_STREAM)
    reset.resolve(payload.readUInt32BE())
  })
  const clock = new VirtualClock()
  using connection = openWith(clock, slow)
  const call = ask(connection, { timeoutMs: 200, repeatable: false })
  void quiet(call, LATER)
  await sent.promise
  await clock.advance(201)
  await assert.rejects(call, { code: 'DeadlineExceeded', details: 'context deadline exceeded' })
  assert.equal(await reset.promise, 8)
})

test('a call whose time is over before there is a connection is not sent later', async () => {
  const connected = Promise.withResolvers<Http2Peer>()
  await using slow = await member((peer) => connected.resolve(peer))
  const clock = new VirtualClock()
  using connection = openWith(clock, slow)
  const late = ask(connection, { timeoutMs: 100, repeatable: false })
  void quiet(late, LATER)
  const peer = await connected.promise
  await clock.advance(101)
  await assert.rejects(late, { code: 'DeadlineExceeded' })
  peer.settings()
  const next = ask(connection, WRITE)
  await peer.headersOf(1)
  answerRange(peer, 1, 6)
  assert.equal(await next, 6)
})

test('a request that is too large is not sent', async () => {
  await using only = await member(works(1))
  using connection = open(only)
  const request = rangeRequest.of({ key: Buffer.alloc(3 << 20) })
  await assert.rejects(connection.call(RANGE, request, READ), { code: 'ResourceExhausted' })
})

test('a method has its own path', async () => {
  const path = Promise.withResolvers<string | undefined>()
  await using only = await member(async (peer) => {
    peer.settings()
    path.resolve((await peer.headersOf(1)).get(':path'))
  })
  using connection = open(only)
  void quiet(connection.call(LEASE_GRANT, leaseGrantRequest.of({ ttl: 1 }), { timeoutMs: 500, repeatable: false }), 'nobody responds')
  assert.equal(await path.promise, '/etcdserverpb.Lease/LeaseGrant')
})

test('a stream delivers what has come together; when it fails, the next one goes to another member', async () => {
  const watching = (name: number) => async (peer: Http2Peer) => {
    peer.settings()
    assert.equal((await peer.headersOf(1)).get('hasleader'), 'true')
    peer.headers(1, [[':status', '200']])
    const response = (watchId: number) => framed(watchResponse.encode(watchResponse.of({ watchId })))
    peer.data(1, Buffer.concat([response(name), response(name + 1)]))
    await peer.pinged()
    peer.headers(
      1,
      [
        ['grpc-status', '14'],
        ['grpc-message', 'etcdserver: no leader'],
      ],
      { last: true },
    )
  }
  await using first = await member(watching(10))
  await using second = await member(watching(20))
  using connection = open(first, second)
  for (const name of [10, 20]) {
    using stream = await connection.stream(WATCH_PATH, watchRequest, watchResponse)
    stream.send(watchRequest.of({ progress: {} }))
    assert.deepEqual(
      (await stream.read())?.map(({ watchId }) => watchId),
      [name, name + 1],
    )
    await assert.rejects(stream.read(), { code: 'Unavailable', details: 'etcdserver: no leader' })
  }
})
