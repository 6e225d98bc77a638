import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../clock.ts'
import { linkedPair } from '../stream-pair.ts'
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  encodeFrame,
  encodeNumber,
  GOAWAY,
  HEADERS,
  PADDED,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from './frames.ts'
import { encodePlainly, type HeaderField } from './hpack-decoder.ts'
import { Http2Peer } from './http2-peer.double.ts'
import { Http2Session } from './http2-session.ts'
import type { StreamFailure } from './http2-stream.ts'

const KEEP_ALIVE = { afterMs: 30_000, timeoutMs: 10_000 }
const REQUEST = encodePlainly([[':method', 'POST']])

function open(clock = new VirtualClock()) {
  const [here, there] = linkedPair()
  const session = new Http2Session({ keepAlive: KEEP_ALIVE }, here, clock)
  return { session, peer: new Http2Peer(there), clock }
}

/** A request whose events are kept. */
function begin(session: Http2Session, { last = true, body = Buffer.alloc(0) } = {}) {
  const seen = { fields: [] as HeaderField[], data: [] as Buffer[], ended: false, failure: undefined as StreamFailure | undefined }
  const over = Promise.withResolvers<void>()
  const stream = session.request(REQUEST, {
    onHeaders: (fields) => void seen.fields.push(...fields),
    onData: (bytes) => void seen.data.push(Buffer.from(bytes)),
    onEnd: () => {
      seen.ended = true
      over.resolve()
    },
    onFail: (failure) => {
      seen.failure = failure
      over.resolve()
    },
  })
  stream.send(body, { last })
  return { stream, seen, over: over.promise, text: () => Buffer.concat(seen.data).toString() }
}

test('a request is sent, and its response read', async () => {
  const { session, peer } = open()
  const call = begin(session, { body: Buffer.from('question') })
  peer.settings()
  await session.ready
  assert.equal((await peer.headersOf(1)).get(':method'), 'POST')
  assert.equal((await peer.until(({ type }) => type === DATA)).payload.toString(), 'question')
  await peer.until(({ type, flags }) => type === SETTINGS && flags === ACK)
  peer.headers(1, [[':status', '200']])
  peer.data(1, Buffer.from('answer'))
  peer.headers(1, [['grpc-status', '0']], { last: true })
  await call.over
  assert.deepEqual([call.seen.ended, call.text(), call.seen.fields.map(([name]) => name)], [true, 'answer', [':status', 'grpc-status']])
  session[Symbol.dispose]()
})

/** A response in frames of odd sizes, with padding, pings and unknown frames between, and headers in many pieces. */
function chaotic(text: Buffer, sizes: readonly number[]): Buffer {
  const block = encodePlainly([
    [':status', '200'],
    ['x', 'y'.repeat(50)],
  ])
  const out = [encodeFrame({ type: HEADERS, stream: 1, payload: block.subarray(0, 7) })]
  out.push(encodeFrame({ type: CONTINUATION, stream: 1, payload: block.subarray(7, 20) }))
  out.push(encodeFrame({ type: CONTINUATION, flags: END_HEADERS, stream: 1, payload: block.subarray(20) }))
  let at = 0
  for (const size of sizes) {
    const part = text.subarray(at, at + size)
    at += size
    const padded = Buffer.concat([Buffer.of(size % 7), part, Buffer.alloc(size % 7)])
    out.push(
      size % 2
        ? encodeFrame({ type: DATA, flags: PADDED, stream: 1, payload: padded })
        : encodeFrame({ type: DATA, stream: 1, payload: part }),
    )
    out.push(encodeFrame({ type: PING, payload: Buffer.alloc(8) }), encodeFrame({ type: 0xfa, stream: 1, payload: part }))
  }
  out.push(encodeFrame({ type: DATA, flags: END_STREAM, stream: 1, payload: text.subarray(at) }))
  return Buffer.concat(out)
}

test('a response is the same however its bytes are cut', async () => {
  const cases = fc.record({
    text: fc.string({ maxLength: 200 }),
    sizes: fc.array(fc.nat(20)),
    cuts: fc.array(fc.integer({ min: 1, max: 90 })),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ text, sizes, cuts }) => {
      const { session, peer } = open()
      const call = begin(session)
      const bytes = chaotic(Buffer.from(text), sizes)
      let at = 0
      for (const cut of cuts) {
        peer.raw(bytes.subarray(at, at + cut))
        at += cut
      }
      peer.raw(bytes.subarray(at))
      await call.over
      assert.deepEqual([call.seen.failure, call.seen.ended, call.text()], [undefined, true, text])
      session[Symbol.dispose]()
    }),
    { numRuns: 50 },
  )
})

test('what is not HTTP/2 ends the connection, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 80 }), async (bytes) => {
      const { session, peer } = open()
      const call = begin(session)
      peer.raw(Buffer.from(bytes))
      peer.end()
      await call.over
      assert.ok(call.seen.ended || call.seen.failure !== undefined)
      assert.equal(session.open, false)
    }),
    { numRuns: 100 },
  )
})

const HEAD = encodePlainly([[':status', '200']])
const BROKEN: readonly (readonly [name: string, bytes: Buffer, reason: RegExp])[] = [
  ['a frame that is too long', Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 1]), /a frame of 65536 bytes/],
  ['a push', encodeFrame({ type: 5, stream: 1 }), /pushes/],
  ['a continuation of nothing', encodeFrame({ type: CONTINUATION, stream: 1, payload: HEAD }), /continue nothing/],
  [
    'interrupted headers',
    Buffer.concat([encodeFrame({ type: HEADERS, stream: 1, payload: HEAD }), encodeFrame({ type: PING, payload: Buffer.alloc(8) })]),
    /interrupted/,
  ],
  ['headers that are none', encodeFrame({ type: HEADERS, flags: END_HEADERS, stream: 1, payload: Buffer.of(0xff, 0xff) }), /./],
  ['a short window update', encodeFrame({ type: WINDOW_UPDATE, payload: Buffer.of(1) }), /ends too early/],
  ['padding without data', encodeFrame({ type: DATA, flags: PADDED, stream: 1, payload: Buffer.of(9) }), /padding/],
]
for (const [name, bytes, reason] of BROKEN)
  test(`the connection ends with ${name}`, async () => {
    const { session, peer } = open()
    const call = begin(session)
    await peer.headersOf(1)
    peer.raw(bytes)
    await call.over
    assert.match(call.seen.failure?.reason ?? '', reason)
    assert.equal(call.seen.failure?.unprocessed, false)
  })

test('no more is sent than the windows of stream and connection allow', async () => {
  const { session, peer } = open()
  peer.settings([4, 100])
  await session.ready
  const call = begin(session, { body: Buffer.alloc(70_000, 'x') })
  await peer.until(({ type }) => type === DATA)
  assert.equal(peer.dataBytes(1), 100)
  peer.send({ type: WINDOW_UPDATE, stream: 1, payload: encodeNumber(100_000) })
  await peer.until(() => peer.dataBytes(1) >= 65_535)
  assert.equal(peer.dataBytes(1), 65_535)
  peer.send({ type: WINDOW_UPDATE, payload: encodeNumber(100_000) })
  await peer.until(({ type, flags }) => type === DATA && flags === END_STREAM)
  assert.equal(peer.dataBytes(1), 70_000)
  assert.ok(peer.frames.every(({ payload }) => payload.length <= 16_384))
  call.stream.cancel()
  session[Symbol.dispose]()
})

test('a window that settings make smaller is respected, and grows again', async () => {
  const { session, peer } = open()
  peer.settings([4, 1000])
  await session.ready
  const { stream } = begin(session, { body: Buffer.alloc(600), last: false })
  await peer.until(() => peer.dataBytes(1) === 600)
  peer.settings([4, 100])
  await peer.until(() => peer.frames.filter(({ type, flags }) => type === SETTINGS && flags === ACK).length === 2)
  stream.send(Buffer.alloc(50), { last: true })
  peer.send({ type: WINDOW_UPDATE, stream: 1, payload: encodeNumber(510) })
  await peer.until(() => peer.dataBytes(1) === 610)
  peer.send({ type: WINDOW_UPDATE, stream: 1, payload: encodeNumber(100) })
  await peer.until(({ type, flags }) => type === DATA && flags === END_STREAM)
  assert.equal(peer.dataBytes(1), 650)
  session[Symbol.dispose]()
})

test('a reader that holds back is not sent more than a window; all that comes is allowed again later', async () => {
  const { session, peer } = open()
  const call = begin(session)
  await peer.headersOf(1)
  peer.headers(1, [[':status', '200']])
  call.stream.hold()
  const part = Buffer.alloc(16_384)
  for (let i = 0; i < 200; i++) peer.data(1, part)
  await peer.pinged()
  assert.equal(call.seen.data.length, 200)
  assert.equal(peer.frames.filter(({ type, stream }) => type === WINDOW_UPDATE && stream === 1).length, 0)
  call.stream.release()
  const { payload } = await peer.until(({ type, stream }) => type === WINDOW_UPDATE && stream === 1)
  assert.equal(payload.readUInt32BE(), 200 * 16_384)
  session[Symbol.dispose]()
})

test('after a GOAWAY the streams that were begun end as usual; the others were not processed', async () => {
  const { session, peer } = open()
  peer.settings()
  await session.ready
  const [first, second] = [begin(session), begin(session)]
  await peer.headersOf(3)
  peer.send({ type: GOAWAY, payload: Buffer.concat([encodeNumber(1), encodeNumber(0)]) })
  await second.over
  assert.deepEqual([second.seen.failure?.unprocessed, first.seen.failure, session.open], [true, undefined, false])
  const late = begin(session)
  assert.equal(late.seen.failure?.unprocessed, true)
  peer.headers(1, [[':status', '200']], { last: true })
  await first.over
  assert.equal(first.seen.ended, true)
})

test('a refused stream was not processed; one that is reset for another reason may have been', async () => {
  const { session, peer } = open()
  const calls = [begin(session), begin(session)]
  await peer.headersOf(3)
  peer.send({ type: RST_STREAM, stream: 1, payload: encodeNumber(7) })
  peer.send({ type: RST_STREAM, stream: 3, payload: encodeNumber(2) })
  await Promise.all(calls.map(({ over }) => over))
  assert.deepEqual(
    calls.map(({ seen }) => [seen.failure?.unprocessed, seen.failure?.code]),
    [
      [true, 7],
      [false, 2],
    ],
  )
  session[Symbol.dispose]()
})

test('streams beyond the number that the server allows wait for their turn', async () => {
  const { session, peer } = open()
  peer.settings([3, 1])
  await session.ready
  const [first, second] = [begin(session), begin(session, { body: Buffer.from('later') })]
  await peer.headersOf(1)
  assert.equal(second.stream.id, undefined)
  peer.headers(1, [[':status', '200']], { last: true })
  await first.over
  await peer.headersOf(3)
  await peer.until(({ stream, payload }) => stream === 3 && payload.toString() === 'later')
  session[Symbol.dispose]()
  await second.over
  assert.equal(second.seen.failure?.unprocessed, false)
})

test('a response that comes before the request is sent ends it', async () => {
  const { session, peer } = open()
  const call = begin(session, { body: Buffer.alloc(100_000) })
  await peer.headersOf(1)
  peer.headers(1, [[':status', '200']], { last: true })
  await call.over
  assert.equal(call.seen.ended, true)
  const { payload } = await peer.until(({ type, stream }) => type === RST_STREAM && stream === 1)
  assert.equal(payload.readUInt32BE(), 8)
  session[Symbol.dispose]()
})

test('what comes for a stream that was cancelled is ignored', async () => {
  const { session, peer } = open()
  const [gone, other] = [begin(session), begin(session)]
  await peer.headersOf(3)
  gone.stream.cancel()
  await peer.until(({ type, stream }) => type === RST_STREAM && stream === 1)
  peer.headers(1, [[':status', '200']])
  peer.data(1, Buffer.from('late'), { last: true })
  peer.headers(3, [[':status', '200']], { last: true })
  await other.over
  assert.deepEqual([gone.seen.data.length, gone.seen.ended, other.seen.ended], [0, false, true])
  session[Symbol.dispose]()
})

test('a silent connection is pinged, and closed when nothing comes back', async () => {
  const { session, peer, clock } = open()
  peer.settings()
  await session.ready
  const call = begin(session, { last: false })
  await peer.headersOf(1)
  await clock.advance(30_001)
  peer.send({ type: PING, flags: ACK, payload: Buffer.alloc(8) })
  await peer.until(({ type }) => type === PING)
  await clock.advance(10_001)
  assert.equal(session.open, true)
  await clock.advance(45_000)
  await call.over
  assert.match(call.seen.failure?.reason ?? '', /does not respond/)
})

test('a connection without streams is not pinged', async () => {
  const { session, peer, clock } = open()
  peer.settings()
  await session.ready
  await clock.advance(300_000)
  assert.equal(peer.frames.filter(({ type }) => type === PING).length, 0)
  assert.equal(session.open, true)
  session[Symbol.dispose]()
})

test('a connection that ends before the settings is not ready', async () => {
  const { session, peer } = open()
  peer.end()
  await assert.rejects(session.ready, { name: 'FrameError' })
})
