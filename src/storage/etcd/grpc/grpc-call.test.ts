import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { encodeNumber, RST_STREAM } from '../../../base/http2/frames.ts'
import type { HeaderField } from '../../../base/http2/hpack-decoder.ts'
import { Http2Peer } from '../../../base/http2/http2-peer.double.ts'
import { Http2Session } from '../../../base/http2/http2-session.ts'
import { linkedPair } from '../../../base/stream-pair.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { UnsentError } from './call-status.ts'
import { callHeaders, GrpcCall } from './grpc-call.ts'
import { framed } from './message-reader.ts'

const URL_OF_MEMBER = new URL('http://127.0.0.1:2379')

function begin() {
  const [here, there] = linkedPair()
  const session = new Http2Session({ keepAlive: { afterMs: 30_000, timeoutMs: 10_000 } }, here, new VirtualClock())
  const messages: string[] = []
  const over = Promise.withResolvers<GrpcError | undefined>()
  const call = new GrpcCall(session, callHeaders(URL_OF_MEMBER, '/a.B/C', 1500), {
    onMessage: (bytes) => void messages.push(bytes.toString()),
    onEnd: over.resolve,
  })
  call.send(Buffer.from('question'), { last: true })
  return { peer: new Http2Peer(there), call, messages, over: over.promise, session }
}

const OK: readonly HeaderField[] = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
]

test('a call has the headers of gRPC, and its deadline', async () => {
  const { peer, session } = begin()
  assert.deepEqual(Object.fromEntries(await peer.headersOf(1)), {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': '/a.B/C',
    ':authority': '127.0.0.1:2379',
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-timeout': '1500m',
  })
  session[Symbol.dispose]()
})

test('a call without a message may end well', async () => {
  const { peer, over, messages, session } = begin()
  await peer.headersOf(1)
  peer.headers(1, OK)
  peer.headers(1, [['grpc-status', '0']], { last: true })
  assert.deepEqual([await over, messages], [undefined, []])
  session[Symbol.dispose]()
})

const STATUS: readonly (readonly [name: string, fields: readonly HeaderField[], code: string, details: string])[] = [
  ['a status', [...OK, ['grpc-status', '5'], ['grpc-message', 'no such key']], 'NotFound', 'no such key'],
  ['an escaped message', [...OK, ['grpc-status', '2'], ['grpc-message', 'a%20%C3%A4']], 'Unknown', 'a ä'],
  ['a message that is wrongly escaped', [...OK, ['grpc-status', '2'], ['grpc-message', '100%']], 'Unknown', '100%'],
  ['an unknown status', [...OK, ['grpc-status', '99']], 'Unknown', ''],
  ['a status that is no number', [...OK, ['grpc-status', 'x']], 'Unknown', ''],
  ['no status', OK, 'Internal', 'the response ended without a status'],
  ['a proxy without a server', [[':status', '502']], 'Unavailable', 'the server answered with the HTTP status 502, not with gRPC'],
  ['another program', [[':status', '404']], 'Unimplemented', 'the server answered with the HTTP status 404, not with gRPC'],
  ['a proxy that refuses', [[':status', '403']], 'PermissionDenied', 'the server answered with the HTTP status 403, not with gRPC'],
]
for (const [name, fields, code, details] of STATUS)
  test(`a call fails by ${name}`, async () => {
    const { peer, over, session } = begin()
    await peer.headersOf(1)
    peer.headers(1, fields, { last: true })
    const error = await over
    assert.deepEqual([error?.code, error?.details], [code, details])
    session[Symbol.dispose]()
  })

const RESETS: readonly (readonly [http2: number, code: string, unsent: boolean])[] = [
  [7, 'Unavailable', true],
  [8, 'Canceled', false],
  [11, 'ResourceExhausted', false],
  [12, 'PermissionDenied', false],
  [2, 'Internal', false],
]
for (const [number, code, unsent] of RESETS)
  test(`a reset with code ${number} is ${code}`, async () => {
    const { peer, over, session } = begin()
    await peer.headersOf(1)
    peer.send({ type: RST_STREAM, stream: 1, payload: encodeNumber(number) })
    const error = await over
    assert.deepEqual([error?.code, error instanceof UnsentError], [code, unsent])
    session[Symbol.dispose]()
  })

test('a lost connection is Unavailable: the call may have been carried out', async () => {
  const { peer, over } = begin()
  await peer.headersOf(1)
  peer.end()
  const error = await over
  assert.deepEqual([error?.code, error instanceof UnsentError], ['Unavailable', false])
})

test('a response that ends inside of a message is no success', async () => {
  const { peer, over, messages, session } = begin()
  await peer.headersOf(1)
  peer.headers(1, OK)
  peer.data(1, framed(Buffer.from('answer')).subarray(0, 8))
  peer.headers(1, [['grpc-status', '0']], { last: true })
  assert.deepEqual([(await over)?.code, messages], ['Internal', []])
  session[Symbol.dispose]()
})

test('a message that cannot be read gives up the call, not the connection', async () => {
  const { peer, over, session } = begin()
  await peer.headersOf(1)
  peer.headers(1, OK)
  peer.data(1, Buffer.from([1, 0, 0, 0, 1, 0]))
  assert.equal((await over)?.code, 'Internal')
  await peer.until(({ type }) => type === RST_STREAM)
  assert.equal(session.open, true)
  session[Symbol.dispose]()
})

test('a call that is cancelled is reset, and ends with that error', async () => {
  const { peer, call, over, session } = begin()
  await peer.headersOf(1)
  call.cancel(new GrpcError('DeadlineExceeded', 'late'))
  call.cancel(new GrpcError('Canceled', 'again'))
  assert.equal((await over)?.details, 'late')
  assert.equal((await peer.until(({ type }) => type === RST_STREAM)).payload.readUInt32BE(), 8)
  session[Symbol.dispose]()
})
